"""German inflection of known words."""

import pytest

from miniature.german.inflection import GermanNoun, declined_adjective, declined_determiner, verb


@pytest.mark.parametrize(
    ("determiner", "declension", "forms"),
    [
        ("der", "weak", "der rote den roten dem roten des roten"),
        ("kein", "mixed", "kein roter keinen roten keinem roten keines roten"),
        ("dies", "weak", "dieser rote diesen roten diesem roten dieses roten"),
    ],
)
def test_determiners_and_adjectives_before_masculine_nouns(determiner, declension, forms):
    spoken = [
        word
        for case in ("Nom", "Acc", "Dat", "Gen")
        for word in (declined_determiner(determiner, case, "m"), declined_adjective("rot", declension, case, "m"))
    ]
    assert spoken == forms.split()


def test_nouns_and_verbs_are_inflected():
    assert GermanNoun("Kind", "n", "Kinder").form("Dat", True) == "Kindern"
    assert GermanNoun("Auto", "n", "Autos").form("Dat", True) == "Autos"
    assert GermanNoun("Junge", "m", "Jungen", "Jungen").form("Gen", False) == "Jungen"
    assert GermanNoun("Geheimnis", "n", "Geheimnisse").form("Gen", False) == "Geheimnisses"
    opened, repaired, called = verb("öffnen"), verb("reparieren"), verb("an|rufen", "=,rief,gerufen")
    assert (opened.third, opened.past, opened.participle) == ("öffnet", "öffnete", "geöffnet")
    assert repaired.participle == "repariert"
    assert (called.prefix, called.finite(True, 3, True)) == ("an", "riefen")
