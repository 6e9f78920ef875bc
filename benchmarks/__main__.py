"""Speed of the hot paths, as ratios of two things measured in the same run: ``make bench``.

    python -m benchmarks

Runs the benchmarks of reading, construction, decoding and training, which takes a few minutes. Each
can also be run alone: python -m benchmarks.read, construct, policy or train. For the quality of
solutions see benchmarks.search, weights and claim.
"""

from benchmarks import construct, policy, read, train
from benchmarks.arguments import no_arguments

if __name__ == "__main__":
    no_arguments(__doc__)
    for each in (read, construct, policy, train):
        each.measure()
