"""docs/situations.md says what the rows say."""

from tests.features.page import PAGE, page


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `python -m tests.features.page`"
