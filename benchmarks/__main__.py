"""Run all benchmarks: ``make bench``."""

from benchmarks import construct, read

if __name__ == "__main__":
    read.main()
    construct.main()
