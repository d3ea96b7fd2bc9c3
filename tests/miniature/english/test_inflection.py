"""Plurals and verb forms, regular and not."""

from miniature.english.inflection import plural, verb_forms


def test_inflection():
    assert " ".join(map(plural, ("city", "boy", "box", "child", "key"))) == "cities boys boxes children keys"
    assert " ".join(verb_forms("carry").values()) == "carry carry carries carried carried carrying"
    assert " ".join(verb_forms("admit").values()) == "admit admit admits admitted admitted admitting"
    assert " ".join(verb_forms("write").values()) == "write write writes wrote written writing"
