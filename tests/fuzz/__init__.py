"""An attack on the program: bad files, options, calls, signals and machines, case by case."""
