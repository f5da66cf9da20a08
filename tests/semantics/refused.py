"""The cases that the runtime refuses today; `python -m tests.semantics --update` writes this file anew."""

REFUSED: dict[str, bool] = {
    "a_class_counts_its_instances": True,
    "a_default_argument_that_is_mutable": True,
    "a_global_list_grows": True,
    "caught_exception_objects_are_used": True,
    "class_attributes_change": True,
}
