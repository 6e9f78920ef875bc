"""Speed of the hot paths, as ratios of two things measured in one run: ``make bench``.

    python -m benchmarks

Reading, construction, decoding and training, one after the other, in some minutes. Each is also a
benchmark of its own: python -m benchmarks.read, construct, policy or train. What solvers reach in
how much time is measured by benchmarks.search, weights and claim.
"""

from benchmarks import construct, policy, read, train
from benchmarks.arguments import no_arguments

if __name__ == "__main__":
    no_arguments(__doc__)
    for each in (read, construct, policy, train):
        each.measure()
