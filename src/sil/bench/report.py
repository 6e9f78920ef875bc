"""The report: one self-contained HTML page, and Markdown tables for documents."""

import html
import shutil
from collections.abc import Iterable
from pathlib import Path

from sil import io
from sil.bench import figures
from sil.bench.distance_rank import FILE as RANKS
from sil.bench.escape import markdown
from sil.bench.fingerprint import without_instance
from sil.bench.results import Results
from sil.bench.row import Row, Status
from sil.bench.run import best_files
from sil.bench.suites import SUITES
from sil.bench.tables import Cell, Table, gaps, in_order, skipped, tables
from sil.errors import InputError, SilError
from sil.io.atomic import replacing
from sil.plot import require_matplotlib
from sil.solution import require_valid
from sil.train.log import read_log

TRAINING = "training"  # folder of training logs
_MOST_PICTURES = 4

_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 70rem; padding: 1rem; }
h1, h2, h3 { line-height: 1.2; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.2rem 0.5rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0;
  background: Canvas; }
thead th { border-bottom: 2px solid; text-align: center; }
tbody tr:hover td { background: color-mix(in srgb, CanvasText 8%, Canvas); }
tbody.cited { color: color-mix(in srgb, CanvasText 65%, Canvas); font-style: italic; }
tbody.cited tr:first-child td { border-top: 1px solid; }
td.best { font-weight: bold; }
figure { margin: 1rem 0; background: white; }
figure svg, figure img { max-width: 100%; height: auto; display: block; }
.pictures { display: flex; flex-wrap: wrap; gap: 1rem; }
.pictures figure { flex: 1 1 20rem; max-width: 34rem; margin: 0; }
small { color: color-mix(in srgb, CanvasText 65%, Canvas); }
"""


_NOTES = (
    "Costs are means over a set, computed by us from solutions that passed our check. Gaps are in "
    "percent, relative to the reference below the name of the set. Times are those of the method "
    "alone, without starting Python and reading the instance; a solver that needs all distances "
    "computes them within its time. If a method did not solve all instances, its cell says how "
    "many it solved, and its means cannot be compared with others. Rows marked as cited are from "
    "the paper, with its own references, machine and way of measuring time. The paper's sets have "
    "more instances of the same kind, so compare gaps rather than costs: the cost of a CVRP "
    "depends on where the depot is. Only the suite library has the paper's instances. Our gaps "
    "there are to the newest best known costs, dated where we know the date. The cited rows keep "
    "the paper's gaps to the best known costs of its time, its row BKS; some of these have been "
    "improved since."
)


def require_figures() -> None:
    """Raise an error that says what to install if the figures cannot be drawn."""
    require_matplotlib("the report", "bench")


def write_report(folder: Path) -> list[Path]:
    """Write ``report.html`` and ``report.md`` from the results in a folder."""
    require_figures()
    rows = in_order(Results(folder).rows)
    logs = {
        path.name: read_log(path) for path in sorted((folder / TRAINING).glob("*")) if path.is_dir()
    }
    ranks = folder / RANKS
    if not (rows or logs or ranks.exists()):
        raise InputError(f"{folder}: there are no results here yet; run a suite with --out first")
    suites = [suite for suite in SUITES.values() if any(row.suite == suite.name for row in rows)]
    gap = gaps(rows)
    page = [_head(rows)]
    text = [markdown(_facts(rows)), _NOTES]
    for suite in suites:
        of = [row for row in rows if row.suite == suite.name]
        page.append(f"<h2>{suite.name}</h2><p>{html.escape(suite.about)}</p>")
        for table in tables(suite, rows):
            page.append(_table_html(table))
            text.append(_table_markdown(table))
        if left_out := _left_out(of):
            items = "".join(f"<li>{html.escape(line)}</li>" for line in left_out)
            page.append(f"<ul>{items}</ul>")
            text.append("\n".join(f"- {markdown(line)}" for line in left_out))
        page.append(_figures(figures.suite_figures(suite, of, gap)))
    if ranks.exists():
        page.append("<h2>distance-rank</h2><p>How often the nearest node is taken, the second…</p>")
        page.append(_figures(figures.ranks(ranks)))
    if logs:
        page.append("<h2>training</h2><p>Quality of labels and policy over the epochs.</p>")
        page.append(_figures(figures.training(logs)))
    page.append(_pictures(folder, rows))
    page.append("</body></html>")
    written = {"report.html": "\n".join(page), "report.md": "\n\n".join(text) + "\n"}
    for name, content in written.items():
        with replacing(folder / name) as scratch:
            scratch.write_text(content, encoding="utf-8")
    return [folder / name for name in written]


def collect_training(folder: Path, runs: Iterable[Path]) -> None:
    """Copy the logs of training runs into the folder of a report."""
    with Results(folder).locked():
        for run in runs:
            read_log(run)
            log, kept = run / "log.csv", folder / TRAINING / run.resolve().name / "log.csv"
            try:
                if kept.exists() and kept.read_bytes()[:200] != log.read_bytes()[:200]:
                    raise InputError(
                        f"{run}: the report already contains another run with this name"
                    )
                kept.parent.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise InputError(f"{kept}: cannot be written: {error.strerror}") from error
            with replacing(kept) as scratch:
                shutil.copyfile(log, scratch)


def _head(rows: list[Row]) -> str:
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>sil bench</title><style>{_STYLE}</style></head><body><h1>sil bench</h1>"
        f"<p>{html.escape(_facts(rows))}</p>"
        f"<p>{html.escape(_NOTES)}</p>"
    )


def _facts(rows: list[Row]) -> str:
    """Say where and when the rows were measured."""
    if not rows:
        return ""
    machines = "; ".join(dict.fromkeys(row.machine for row in rows))
    parts = (part for row in rows for part in without_instance(row.version))
    versions = ", ".join(dict.fromkeys(parts))
    threads = ", ".join(str(count) for count in sorted({row.threads for row in rows}))
    first, last = min(row.date for row in rows)[:10], max(row.date for row in rows)[:10]
    when = first if first == last else f"{first} to {last}"
    return f"Measured {when} with sil {versions} on {machines}; threads per run: {threads}."


def _table_html(table: Table) -> str:
    titles = "".join(
        f"<th colspan={len(table.columns)}>{html.escape(name)}<br>"
        f"<small>{html.escape(table.heads[name])}</small></th>"
        for name in table.sets
    )
    units = "".join(f"<th>{column}</th>" for column in table.columns) * len(table.sets)
    best = {name: _least_gap(table, name) for name in table.sets}
    body = "".join(
        _row_html(table, str(label), cells, best) for label, cells in table.measured.items()
    )
    cited = "".join(
        _row_html(table, f"{method} (cited)", cells, {}) for method, cells in table.cited.items()
    )
    return (
        f"<h3>{html.escape(table.title)}</h3><div class=scroll><table><thead>"
        f"<tr><th></th>{titles}</tr><tr><th></th>{units}</tr></thead><tbody>{body}</tbody>"
        f"<tbody class=cited>{cited}</tbody></table></div>"
    )


def _row_html(table: Table, method: str, cells: dict[str, Cell], best: dict[str, str]) -> str:
    line = [f"<td>{html.escape(method)}</td>"]
    for name in table.sets:
        cell = cells.get(name, Cell())
        is_best = cell.complete and cell.gap and cell.gap == best.get(name)
        mark = " class=best" if is_best else ""
        line.append(f"<td>{html.escape(cell.value)}</td>")
        if table.has_gaps:
            line.append(f"<td{mark}>{html.escape(cell.gap)}</td>")
        line.append(f"<td>{html.escape(cell.seconds)}</td>")
    return f"<tr>{''.join(line)}</tr>"


def _least_gap(table: Table, name: str) -> str:
    found = [cells[name] for cells in table.measured.values() if name in cells]
    return min((cell.gap for cell in found if cell.gap and cell.complete), key=float, default="")


def _table_markdown(table: Table) -> str:
    lines = [
        f"**{table.title}** ({', '.join(table.columns)})",
        "",
        "| | " + " | ".join(markdown(name) for name in table.sets) + " |",
        "|---" * (len(table.sets) + 1) + "|",
        "| | " + " | ".join(markdown(table.heads[name]) for name in table.sets) + " |",
    ]
    everything = [(str(label), cells) for label, cells in table.measured.items()]
    everything += [(f"{method} (cited)", cells) for method, cells in table.cited.items()]
    for method, cells in everything:
        of = (cells.get(name, Cell()) for name in table.sets)
        texts = (markdown(", ".join(filter(None, (c.value, c.gap, c.seconds)))) for c in of)
        lines.append(f"| {markdown(method)} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


def _left_out(rows: list[Row]) -> list[str]:
    """List the methods that were skipped and the runs that failed."""
    lines = [f"{name.title} was skipped: {reason}" for name, reason in skipped(rows).items()]
    return lines + [
        f"{row.method.title} on {row.instance}: {row.status}, {row.message}"
        for row in rows
        if row.status not in (Status.OK, Status.SKIPPED)
    ]


def _figures(drawn: list[str]) -> str:
    """Put images side by side, as many as fit."""
    return "<div class=pictures>" + "".join(f"<figure>{each}</figure>" for each in drawn) + "</div>"


def _pictures(folder: Path, rows: list[Row]) -> str:
    """Show the best solution of the first instance of a few sets."""
    shown: list[str] = []
    missing: list[str] = []
    first: dict[str, str] = {}
    for row in rows:
        first.setdefault(row.set_name, row.instance)
    for set_name, instance in first.items():
        problem_file, solution_file = best_files(folder, set_name, instance)
        if len(shown) < _MOST_PICTURES and problem_file.exists() and solution_file.exists():
            try:
                problem, solution = io.read(problem_file), io.read_solution(solution_file)
                require_valid(solution, problem)
            except SilError as error:  # the report is useful without this picture
                missing.append(f"<p>No picture of {html.escape(f'{instance}: {error}')}</p>")
                continue
            image = figures.picture(problem, solution)
            shown.append(f'<img alt="{html.escape(instance)}" src="{image}">')
    if not (shown or missing):
        return ""
    return f"<h2>Best solutions</h2>{_figures(shown)}{''.join(missing)}"
