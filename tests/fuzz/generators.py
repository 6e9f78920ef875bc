"""All generators."""

from tests.fuzz import (
    calls,
    files_arrays,
    files_bench,
    files_train,
    files_tsplib,
    files_weights,
    machine,
    native,
    options,
)
from tests.fuzz.case import Generator

GENERATORS: list[Generator] = [
    *files_tsplib.GENERATORS,
    *files_arrays.GENERATORS,
    *files_weights.GENERATORS,
    *files_bench.GENERATORS,
    *files_train.GENERATORS,
    *options.GENERATORS,
    *native.GENERATORS,
    *calls.GENERATORS,
    *machine.GENERATORS,
]
