"""Run all benchmarks: ``make bench``."""

from benchmarks import construct, policy, read, train

if __name__ == "__main__":
    read.main()
    construct.main()
    policy.main()
    train.main()
