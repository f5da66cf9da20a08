"""State that outlives a call: variables, and modules that collect them."""

import os

from autograph.errors import register_library_directory

register_library_directory(os.path.dirname(os.path.abspath(__file__)))

from autograph.loading import later

later(__name__, "hooks", "variables")
