import pytest
from hypothesis import given
from hypothesis import strategies as st

from bert_attention.corpora.head_rules import head_child


@pytest.mark.parametrize(
    ("production", "head"),
    [
        # noun phrases: each of the searches in turn
        ("NP -> DT JJ NN", "NN"),
        ("NP -> NNP NNP *NNP", "*NNP"),  # the last of a name
        ("NP -> NP PP", "NP"),
        ("NP -> *NP , NP ,", "*NP"),  # apposition: the first
        ("NP -> NP NN", "NN"),  # a possessive before its noun
        ("NP -> DT NN POS", "POS"),
        ("NP -> PRP", "PRP"),
        ("NP -> DT ADJP", "ADJP"),
        ("NP -> DT CD", "CD"),
        ("NP -> DT JJ *JJ", "*JJ"),
        ("NP -> DT VBG", "VBG"),  # nothing that is searched for: the last child
        ("NP -> DT .", "DT"),  # but no punctuation
        # clauses and other phrases
        ("S -> NP VP .", "VP"),
        ("S -> NP NP", "NP"),
        ("SINV -> PP VP NP", "VP"),
        ("SBAR -> WHNP S", "WHNP"),
        ("SBAR -> IN S", "IN"),
        ("VP -> MD VP", "MD"),
        ("VP -> TO VP", "TO"),
        ("VP -> ADVP VBD NP PP", "VBD"),
        ("PP -> IN NP", "IN"),
        ("PP -> RB *IN PP", "*IN"),
        ("ADJP -> RB JJ", "JJ"),
        ("ADVP -> RB *RB", "*RB"),  # searched from the right
        ("QP -> RB CD", "RB"),
        ("WHNP -> WDT NN", "WDT"),
        ("PRN -> , S ,", "S"),
        ("FRAG -> NP ADVP .", "ADVP"),
        ("UNKNOWN -> -LRB- NP VP", "NP"),
        # coordination: the first conjunct, where the rules chose the one after the conjunction
        ("NP -> *NN CC NN", "*NN"),
        ("NP -> *NP , NP CC NP", "*NP"),
        ("NP -> DT *NNS , CONJP NNS", "*NNS"),
        ("UCP -> NP CC ADJP", "NP"),
        ("VP -> *VP CC VP", "*VP"),
        ("NP -> JJ CC JJ NN", "NN"),
        ("NP -> CC NN", "NN"),  # nothing is before the conjunction
        ("NP -> , CC NN", "NN"),  # nothing but punctuation is
        # function tags and indices
        ("NP-SBJ-1 -> DT NN", "NN"),
        ("NP=2 -> NP-LOC PP-LOC", "NP-LOC"),
        ("NML -> NN HYPH NN*", "NN*"),
    ],
)
def test_heads_worked_out_by_hand(production, head):
    label, _, children = production.partition(" -> ")
    marked = children.split()
    labels = [child.strip("*") for child in marked]
    assert head_child(label, labels) == marked.index(head)


@given(
    st.lists(st.sampled_from(["NP", "NN", "POS", ",", "CC", "CONJP", "JJ", "VP", ".", "CD", "IN"]), min_size=1),
    st.sampled_from(["NP", "S", "X"]),
)
def test_the_head_is_a_child_and_no_punctuation_if_possible(labels, label):
    head = head_child(label, labels)
    assert 0 <= head < len(labels)
    assert labels[head] not in {",", "."} or set(labels) <= {",", "."}
