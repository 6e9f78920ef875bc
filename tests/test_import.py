import subprocess
import sys


def test_importing_sil_imports_no_extra():
    script = (
        "import sys, sil\n"
        "heavy = {'torch', 'matplotlib', 'fastapi', 'httpx', 'ray', 'scipy', 'typer', 'rich'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_everything_public_exists_and_is_documented():
    import sil

    for name in sil.__all__:
        assert getattr(sil, name) is not None
        if callable(getattr(sil, name)):
            assert getattr(sil, name).__doc__
