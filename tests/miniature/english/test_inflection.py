"""Plurals and verb forms, regular and not."""

from miniature.english.inflection import plural, verb_forms


def test_inflection():
    assert " ".join(map(plural, ("city", "boy", "box", "child", "key"))) == "cities boys boxes children keys"
    assert verb_forms("carry") == ("carry", "carries", "carried", "carried", "carrying")
    assert verb_forms("admit")[2:] == ("admitted", "admitted", "admitting")
    assert verb_forms("write")[2:] == ("wrote", "written", "writing")
