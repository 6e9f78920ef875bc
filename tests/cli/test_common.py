import os
import signal

import pytest

from sil.cli.common import INTERRUPTED, interruptible
from tests.processes import wait_until


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_asks_to_stop_and_the_second_exits(number, capsys):
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("this signal is ignored here, as under nohup")
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, interruptible() as interrupt:
        assert not interrupt.is_set()
        os.kill(os.getpid(), number)
        wait_until(interrupt.is_set)  # another thread may have been given the signal
        assert interrupt.requested
        os.kill(os.getpid(), number)
    assert ended.value.code == INTERRUPTED
    assert capsys.readouterr().err == "Stopping …\n"
    assert signal.getsignal(number) is before


def test_a_closed_terminal_is_ignored_under_nohup():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interruptible() as interrupt:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not interrupt.is_set()
    finally:
        signal.signal(signal.SIGHUP, before)
