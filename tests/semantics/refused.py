"""The cases that the runtime refuses today; `python -m tests.semantics --update` writes this file anew."""

REFUSED: dict[str, bool] = {
    "a_generator_is_summed_in_a_branch": True,
    "a_list_iterator_is_asked_in_a_branch": True,
}
