"""Kill commands at random moments, and see whether anything is lost.

``python -m tests.fuzz.kills --kills 200 --what solve train bench serve`` kills each command so many
times with SIGKILL, with all processes that it has started. After each kill every file must be
whole, and what was there before must still be there; the same command then goes on. Of the service,
single processes are killed, too. Ends with 1 if anything was lost.
"""

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np

from tests.fuzz.kill_bench import kill_bench
from tests.fuzz.kill_serve import kill_serve
from tests.fuzz.kill_solve import kill_solve
from tests.fuzz.kill_train import kill_train

CAMPAIGNS = {"solve": kill_solve, "train": kill_train, "bench": kill_bench, "serve": kill_serve}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="of each command")
    parser.add_argument("--what", nargs="+", choices=CAMPAIGNS, default=list(CAMPAIGNS))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    failed = False
    for name in options.what:
        folder = Path(tempfile.mkdtemp(prefix=f"sil-kills-{name}-"))
        rng = np.random.default_rng((options.seed, list(CAMPAIGNS).index(name)))
        tally = CAMPAIGNS[name](options.kills, rng, folder)
        print(f"{name}\n{tally}", flush=True)
        failed |= bool(tally.failures)
        if tally.failures:
            print(f"  left for inspection: {folder}", flush=True)
        else:
            shutil.rmtree(folder)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
