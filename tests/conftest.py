"""What holds for every test: on CI, property tests try the same examples each time, so that a red run can be seen again."""

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

from tests.helpers.elsewhere import elsewhere

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")


@pytest.fixture(autouse=True, scope="session")
def _nobodys_configuration() -> Iterator[None]:
    """No test reads the ./mneme.toml that `make run` leaves."""
    with elsewhere():
        yield
