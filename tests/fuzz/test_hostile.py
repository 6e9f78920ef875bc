import sys

import pytest

pytest.importorskip("fastapi")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def test_hostile_requests_do_no_harm(tmp_path):
    from tests.fuzz.hostile import attack

    report = attack(150, 1, tmp_path)
    assert report.failures == []
    assert sum(report.answers.values()) == 150
