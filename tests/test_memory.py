import subprocess
import sys

import pytest

from sil import InputError
from sil.memory import available_memory, require_memory


def test_what_cannot_fit_is_refused():
    assert 0 < available_memory() < 2**60
    require_memory(1, "nothing")
    with pytest.raises(
        InputError, match=r"a map needs 1,000,000\.0 GB of memory, but only .* GB is"
    ):
        require_memory(10**15, "a map")


def test_the_limit_of_the_process_counts():
    script = (
        "import resource\n"
        "from sil.memory import available_memory\n"
        "resource.setrlimit(resource.RLIMIT_AS, (3 * 10**9, 3 * 10**9))\n"
        "assert available_memory() < 3 * 10**9"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
