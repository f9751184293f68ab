"""What holds for every test: on CI, property tests try the same examples each time, so that a red run can be seen again."""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
if os.environ.get("CI"):
    settings.load_profile("ci")
