"""English function words: determiners, pronouns, auxiliaries, prepositions, conjunctions, particles, punctuation."""

from __future__ import annotations

from miniature.english.inflection import form_tokens
from miniature.tokens import Token


def _tokens(upos: str, xpos: str, feats: str, forms: str) -> dict[str, Token]:
    return {form: Token(form, form, upos, xpos, feats) for form in forms.split()}


DETERMINERS = (
    _tokens("DET", "DT", "Definite=Def|PronType=Art", "the")
    | _tokens("DET", "DT", "Definite=Ind|PronType=Art", "a")
    | _tokens("DET", "DT", "Number=Sing|PronType=Dem", "this that")
    | {"these": Token("these", "this", "DET", "DT", "Number=Plur|PronType=Dem")}
    | _tokens("DET", "DT", "PronType=Ind", "some another")
    | _tokens("DET", "DT", "PronType=Tot", "every")
    | _tokens("DET", "DT", "PronType=Neg", "no")
    | _tokens("DET", "PDT", "PronType=Tot", "all")
)
PREPOSITIONS = _tokens(
    "ADP", "IN", "_", "in at near behind under on from with without for about of by to after before during"
)
SUBORDINATORS = _tokens("SCONJ", "IN", "_", "that whether because although if while after before")
SUBORDINATORS["when"] = Token("when", "when", "ADV", "WRB", "PronType=Int")  # an adverb, as in English EWT
CONJUNCTIONS = _tokens("CCONJ", "CC", "_", "and or but")
PARTICLES = _tokens("ADP", "RP", "_", "up down away off on back out in")
TO = Token("to", "to", "PART", "TO")
NOT = Token("not", "not", "PART", "RB", "Polarity=Neg")
CONTRACTED_NOT = Token("n't", "not", "PART", "RB", "Polarity=Neg", glued=True)
POSSESSIVE = Token("'s", "'s", "PART", "POS", "_", glued=True)
POSSESSIVE_AFTER_S = Token("'", "'s", "PART", "POS", "_", glued=True)
THERE = Token("there", "there", "PRON", "EX", "PronType=Dem")
COMMA = Token(",", ",", "PUNCT", ",", "_", glued=True)
FINAL = {form: Token(form, form, "PUNCT", ".", "_", glued=True) for form in ".?!"}
INTERJECTIONS = _tokens("INTJ", "UH", "_", "well yes oh please")
TIME_ADJECTIVES = _tokens("ADJ", "JJ", "Degree=Pos", "last next")


def _modal(form: str, lemma: str | None = None) -> Token:
    return Token(form, lemma or form, "AUX", "MD", "VerbForm=Fin")


MODALS = {form: _modal(form) for form in ("can", "could", "may", "might", "must", "should", "will", "would")}
# The forms of modals before "n't", and the words that it cannot follow.
CONTRACTED_MODALS = MODALS | {"can": _modal("ca", "can"), "will": _modal("wo", "will")}
UNCONTRACTED = {"may", "might", "am"}

AUXILIARIES = {
    lemma: form_tokens(lemma, "AUX", dict(entry.split(":") for entry in forms.split()))
    for lemma, forms in (
        ("be", "base:be first:am third:is present:are past:was past_plural:were participle:been gerund:being"),
        ("have", "base:have third:has present:have past:had participle:had gerund:having"),
        ("do", "base:do third:does present:do past:did participle:done gerund:doing"),
    )
}


# (person, number, gender): subject, object, possessive.
_PERSONAL = {
    (1, "Sing", ""): "I me my",
    (3, "Sing", "Masc"): "he him his",
    (3, "Sing", "Fem"): "she her her",
    (3, "Sing", "Neut"): "it it its",
    (1, "Plur", ""): "we us our",
    (3, "Plur", ""): "they them their",
}


def _personal() -> dict[tuple[int, str, str, str], Token]:
    tokens = {}
    for (person, number, gender), forms in _PERSONAL.items():
        for case, form in zip(("Nom", "Acc", "Gen"), forms.split(), strict=True):
            possessive = case == "Gen"
            feats = f"Case={case}|" + (f"Gender={gender}|" if gender else "") + f"Number={number}|Person={person}"
            feats += "|Poss=Yes|PronType=Prs" if possessive else "|PronType=Prs"
            lemma, xpos = (form, "PRP$") if possessive else (forms.split()[0], "PRP")
            tokens[person, number, gender, case] = Token(form, lemma, "PRON", xpos, feats)
    return tokens


PERSONAL = _personal()  # by person, number, gender, case
RELATIVE = _tokens("PRON", "WP", "PronType=Rel", "who") | _tokens("PRON", "WDT", "PronType=Rel", "which that")
INTERROGATIVE = _tokens("PRON", "WP", "PronType=Int", "who what")
INTERROGATIVE |= _tokens("ADV", "WRB", "PronType=Int", "where when why how")
