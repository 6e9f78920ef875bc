import sys

import pytest

from tests.fuzz.hostile import attack

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_hostile_requests_do_no_harm(tmp_path):
    report = attack(150, 1, tmp_path)
    assert report.failures == []
    assert sum(report.answers.values()) == 150
