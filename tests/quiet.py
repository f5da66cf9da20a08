"""No notices of slow traces where this is imported: what tests print must hang on no clock."""

import os

os.environ["AUTOGRAPH_SLOW_NOTICE"] = "0"
