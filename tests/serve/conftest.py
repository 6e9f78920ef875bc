import pytest

from tests.serve.running import running


@pytest.fixture(scope="package")
def service(tmp_path_factory):
    """One service for all tests that only use it."""
    data = tmp_path_factory.mktemp("serve") / "data"
    options = ["--workers", "2", "--max-queue", "50", "--max-nodes", "20000", "--max-matrix", "50"]
    with running(data, *options, "--max-megabytes", "4", "--max-runtime", "600") as found:
        yield found


@pytest.fixture
def client(service):
    with service.client() as found:
        yield found
