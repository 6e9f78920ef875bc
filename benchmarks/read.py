"""Reading: our TSPLIB reader against vrplib's own, on the same file.

python -m benchmarks.read
"""

import tempfile
from pathlib import Path

import vrplib

import sil
from benchmarks.arguments import no_arguments
from benchmarks.timing import ratio


def measure() -> None:
    drawn = sil.generate_tsp(100_000)
    assert drawn.coords is not None
    problem = sil.Problem(drawn.coords * 1e6, metric=sil.Metric.EUC_2D)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.tsp"
        sil.write(path, problem)
        speedup = ratio(
            lambda: vrplib.read_instance(path, compute_edge_weights=False),
            lambda: sil.read(path),
        )
    print(f"reading a .tsp of 100K nodes: vrplib / sil                    {speedup:6.1f}")


if __name__ == "__main__":
    no_arguments(__doc__)
    measure()
