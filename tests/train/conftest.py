import pytest

from sil.train.loop import Training
from tests.train.runs import Recorded, small_config


@pytest.fixture(scope="session")
def finished(tmp_path_factory):
    """Folder and display of an uninterrupted run; do not change the folder."""
    folder = tmp_path_factory.mktemp("run") / "whole"
    display = Recorded()
    assert Training(small_config(), folder, 1, display=display).run()
    return folder, display
