import pytest

from bert_attention.corpora.head_rules import head_child

# Productions by the label of the constituent. An asterisk marks the head, worked out by hand from Collins' rules.
PRODUCTIONS = """
NP: DT JJ *NN ; NNP NNP *NNP ; *NP PP ; *NP , NP , ; DT NN *POS ; DT *CD ; DT JJ *JJ ; DT *VBG ; *DT .
NP: *NP , NP CC NP ; DT *NNS , CONJP NNS ; JJ CC JJ *NN ; CC *NN ; , CC *NN
S: NP *VP .
SINV: PP *VP NP
SBAR: *WHNP S
VP: ADVP *VBD NP PP
PP: RB *IN PP
ADVP: RB *RB
PRN: , *S ,
FRAG: NP *ADVP .
UNKNOWN: -LRB- *NP VP
UCP: *NP CC ADJP
NP-SBJ-1: DT *NN
NP=2: *NP-LOC PP-LOC
NML: NN HYPH *NN
"""
LINES = [line.split(": ") for line in PRODUCTIONS.strip().split("\n")]


@pytest.mark.parametrize(("label", "children"), [(label, each) for label, some in LINES for each in some.split(" ; ")])
def test_heads_equal_those_worked_out_by_hand(label, children):
    marked = children.split()
    expected = next(index for index, child in enumerate(marked) if child.startswith("*"))
    assert head_child(label, [child.removeprefix("*") for child in marked]) == expected
