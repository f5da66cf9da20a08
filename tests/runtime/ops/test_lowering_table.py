from tests.runtime.ops.lowering_table import PAGE, page


def test_the_table_of_machine_code_is_as_it_is():
    text = PAGE.read_text(encoding="utf-8")
    assert page(text) == text, "python -m tests.runtime.ops.lowering_table"
