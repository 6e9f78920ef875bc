import numpy as np

from sil.bench.packages import missing_package, package_version


def test_packages_are_found_with_their_version():
    assert missing_package("numpy") is None
    assert package_version("numpy") == f"numpy {np.__version__}"
    assert missing_package("no_such_package") == "the package no_such_package is not installed"
