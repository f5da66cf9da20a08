"""The runner of documentation blocks notices what it is there to notice."""

import pytest

from tests.guide.markdown import read_blocks
from tests.guide.page import matches, run_page
from tests.guide.update import updated


def page(*blocks):
    return "Words.\n\n" + "\n".join(blocks)


def block(text, info="python"):
    return f"```{info}\n{text}\n```\n"


def test_blocks_share_a_namespace_in_order(tmp_path):
    text = page(block("x = 2"), block("print(x * 3)"), block("6", "text"))
    assert all(outcome.agrees for outcome in run_page("sample", text, tmp_path))


def test_other_output_is_noticed(tmp_path):
    outcome, *rest = run_page("sample", page(block("print(1)"), block("2", "text")), tmp_path)
    assert not outcome.agrees and outcome.line == 4 and not rest


def test_output_without_a_block_is_noticed(tmp_path):
    (outcome,) = run_page("sample", page(block("print(1)")), tmp_path)
    assert not outcome.agrees


def test_an_exception_fails_unless_the_page_shows_it(tmp_path):
    with pytest.raises(ZeroDivisionError):
        run_page("sample", page(block("1 // 0")), tmp_path)
    shown = page(block("1 // 0"), block("ZeroDivisionError: ...", "text"))
    assert run_page("sample", shown, tmp_path)[0].agrees


def test_a_function_of_a_block_has_its_source_at_the_line_of_the_page(tmp_path):
    text = page(
        block("def double(x):\n    return 2 * x"),
        block("import inspect\nlines, at = inspect.getsourcelines(double)\nprint(at, len(lines))"),
        block("4 2", "text"),
    )
    assert [outcome.agrees for outcome in run_page("sample", text, tmp_path)] == [True, True]


def test_titled_blocks_are_files_and_console_blocks_run(tmp_path):
    text = page(
        block("print('hello')", 'python title="hello.py"'),
        block("$ python hello.py\nhello\n$ echo a; echo b\n...\nb", "console"),
    )
    assert [outcome.agrees for outcome in run_page("sample", text, tmp_path)] == [True, True]


def test_a_command_that_fails_is_noticed(tmp_path):
    with pytest.raises(AssertionError, match="line 4: 'exit 3' ended with 3"):
        run_page("sample", page(block("$ exit 3", "console")), tmp_path)
    text = page(block("$ false; echo $?\n1", "console"))
    assert run_page("sample", text, tmp_path)[0].agrees


def test_what_is_not_run_says_why(tmp_path):
    text = "<!-- not run: it takes all night -->\n" + block("1 // 0")
    assert read_blocks(text)[0].not_run == "it takes all night"
    assert run_page("sample", text, tmp_path) == []


def test_unknown_languages_and_open_fences_are_errors(tmp_path):
    with pytest.raises(ValueError, match="line 4: cannot run a block of 'ruby'"):
        run_page("sample", page(block("puts 1", "ruby")), tmp_path)
    with pytest.raises(ValueError, match="line 1: this block is never closed"):
        read_blocks("```python\nx = 1\n")


def test_dots_match_within_a_line_and_over_lines():
    assert matches("a ... c\n", "a b c\n")
    assert not matches("a ... c\n", "a b\nc\n")
    assert matches("a\n...\n", "a\nb\nc\n") and matches("...\nc\n", "a\nb\nc\n")
    assert matches("(1.5)\n", "(1.5)\n") and not matches("1.5\n", "1x5\n")


def test_update_replaces_only_what_disagrees(tmp_path):
    text = page(
        block("print(1)"),
        block("...", "text"),
        block("print('a')\nprint('b')"),
        block("z", "text"),
        block("$ echo c\nd", "console"),
    )
    after = updated(text, run_page("sample", text, tmp_path))
    assert after == text.replace("z\n", "a\nb\n").replace("\nd\n", "\nc\n")
