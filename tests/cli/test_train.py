import sil
from sil.train.config import load_config
from sil.train.log import read_log
from tests.cli.command import run
from tests.train.runs import toml


def test_train_shows_a_configuration_to_start_from(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(run("train", "tiny", "--show").stdout)
    assert load_config(str(mine)) == load_config("tiny")


def test_train_stops_in_time_resumes_and_reports(tmp_path):
    config = tmp_path / "small.toml"
    config.write_text(toml())
    folder = tmp_path / "run"
    done = run("train", config, "--out", folder, "--max-runtime", 0)
    assert done.stdout == "Stopped. Run the same command to resume.\n"
    done = run("train", config, "--out", folder)
    assert "PRC10 gap" in done.stderr
    assert done.stdout == f"written     {folder / 'best.safetensors'}\n"
    assert run("train", "--report", folder).stdout.strip().endswith("progress.png")
    problem = tmp_path / "a.npz"
    sil.write(problem, sil.generate_tsp(50))
    weights = folder / "best.safetensors"
    run("solve", problem, "--method", "policy", "--weights", weights, "--max-iterations", 2)


def test_train_takes_problem_files(tmp_path):
    config, folder = tmp_path / "small.toml", tmp_path / "run"
    config.write_text(toml(begin="insertion"))
    files = [tmp_path / f"{seed}.npz" for seed in range(5)]
    for seed, path in enumerate(files):
        sil.write(path, sil.generate_tsp(20 + seed, seed))
    run("train", config, *files, "--out", folder)
    assert read_log(folder)[-1].nodes == 24
    refused = run("train", config, "--out", folder, code=2).stderr
    assert "problems: 5 given ones, checksum" in refused
    assert "now generated" in refused
    assert "no such file" in run("train", config, "none.npz", "--out", folder, code=2).stderr


def test_train_errors_say_what_to_do(tmp_path):
    assert "fast-tsp" in run("train", code=2).stderr
    assert "no such file" in run("train", tmp_path / "none.toml", code=2).stderr
    assert "no log" in run("train", "--report", tmp_path, code=2).stderr
    config = tmp_path / "small.toml"
    config.write_text(toml())
    nan = run("train", config, "--out", tmp_path / "run", "--max-runtime", "nan", code=2).stderr
    assert "--max-runtime" in nan
    assert not (tmp_path / "run").exists()


def test_train_learns_edges(tmp_path):
    config, folder = tmp_path / "few.toml", tmp_path / "run"
    config.write_text(
        'learn = "edges"\ncycles = 1\ntours = 2\nvalidation = 1\nleast_nodes = 40\n'
        "most_nodes = 50\nrounds = 1\nepochs = 1\nbatch = 32\n"
    )
    assert run("train", config, "--out", folder, "--max-runtime", 0).stdout.startswith("Stopped.")
    done = run("train", config, "--out", folder)
    assert "cycle 1: mean tour" in done.stderr
    assert done.stdout == f"written     {folder / 'best.safetensors'}\n"
    refused = run("train", config, tmp_path / "a.tsp", "--out", folder, code=2).stderr
    assert "generated problems" in refused
