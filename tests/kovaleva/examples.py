"""Hand-made parses, examples cut into wordpieces, and random attention, as the analyses read them."""

import re
from types import SimpleNamespace

import numpy as np

from bert_attention.corpora.types import Sentence, TaskInput, Word
from bert_attention.papers.kovaleva.columns import MODELS
from bert_attention.statistics.sums import Sums
from tests.conftest import random_attention

_MAX_LETTERS = 5  # letters of the longest wordpiece


def parsed(text: str, rows: str, start: int = 0) -> Sentence:
    """Return the parse of a sentence that begins at the character ``start`` of its text.

    ``rows`` has ``form/upos/xpos/head/relation`` of each word.
    """
    words, end = [], 0
    for row in rows.split():
        form, upos, xpos, head, relation = row.split("/")
        begin = text.index(form, end)
        end = begin + len(form)
        offsets = f"start_char={start + begin}|end_char={start + end}"
        words.append(Word(form, form, upos, xpos, "_", int(head), relation, misc=offsets))
    return Sentence(tuple(words), (f"# text = {text}",))


def wordpieces(text: str) -> tuple[tuple[str, ...], tuple[tuple[int, int], ...]]:
    """Cut a text at spaces, around punctuation, and after every fifth letter; return wordpieces and their spans."""
    pieces, spans = [], []
    for word in re.finditer(r"\w+|[^\w\s]", text):
        for start in range(word.start(), word.end(), _MAX_LETTERS):
            end = min(start + _MAX_LETTERS, word.end())
            pieces.append(("##" if start > word.start() else "") + text[start:end].lower())
            spans.append((start, end))
    return tuple(pieces), tuple(spans)


def example(number: int, first: str, second: str = "", kept: int | None = None) -> TaskInput:
    """Return an example of one or two texts, each cut to ``kept`` wordpieces."""
    (a, a_spans), (b, b_spans) = wordpieces(first), wordpieces(second)
    begins = [tuple(not piece.startswith("##") for piece in part[:kept]) for part in (a, b)]
    return TaskInput(str(number), a[:kept], b[:kept], *begins, a_spans[:kept], b_spans[:kept], 0.0, str(number))


def tokens_of(task_input: TaskInput) -> list[str]:
    """Return the tokens of the model's input."""
    tokens = ["[CLS]", *task_input.first, "[SEP]"]
    return [*tokens, *task_input.second, "[SEP]"] if task_input.second else tokens


def stored(task_input: TaskInput, seed: int = 0) -> SimpleNamespace:
    """Return the example's sequence as an attention store does, with random attention; equal tokens have equal ids."""
    tokens = tokens_of(task_input)
    special = np.array([token in ("[CLS]", "[SEP]") for token in tokens])
    return SimpleNamespace(
        token_ids=np.unique(tokens, return_inverse=True)[1].astype(np.int32),
        word_ids=np.where(special, -1, np.cumsum(~special)).astype(np.int32),
        categories={name: np.array(tokens) == f"[{name.upper()}]" for name in ("cls", "sep")},
        attention=random_attention(np.random.default_rng(seed), 2, 3, len(tokens)),
    )


def sequences_of(examples: list[TaskInput]) -> dict[str, list[SimpleNamespace]]:
    """Return the sequences of all examples in the pretrained and in the fine-tuned encoder."""
    return {
        model: [stored(each, 10 * number + index) for index, each in enumerate(examples)]
        for number, model in enumerate(MODELS)
    }


def table_of(analysis, sequences, examples, **kwargs):
    """Return the table of an analysis of the sequences of both encoders."""
    units = zip(*sequences.values(), examples, strict=True)
    return analysis.table(Sums.of((analysis.sums(*unit, **kwargs) for unit in units), range(len(examples))))


DOG = parsed(
    "She didn't see the dog.",
    "She/PRON/PRP/4/nsubj did/AUX/VBD/4/aux n't/PART/RB/4/advmod see/VERB/VB/0/root the/DET/DT/6/det dog/NOUN/NN/4/obj"
    " ./PUNCT/./4/punct",
)
CAT = parsed(
    "The dog sees remarkable cats, she says.",
    "The/DET/DT/2/det dog/NOUN/NN/3/nsubj sees/VERB/VBZ/8/ccomp remarkable/ADJ/JJ/5/amod cats/NOUN/NNS/3/obj"
    " ,/PUNCT/,/3/punct she/PRON/PRP/8/nsubj says/VERB/VBZ/0/root ./PUNCT/./8/punct",
)
NORMAL = parsed(
    "Normal, as ever!",
    "Normal/ADJ/JJ/0/root ,/PUNCT/,/4/punct as/ADP/IN/4/case ever/ADV/RB/1/advmod !/PUNCT/./1/punct",
)
ABNORMAL = parsed(
    "An abnormal dog is a cat.",
    "An/DET/DT/3/det abnormal/ADJ/JJ/3/amod dog/NOUN/NN/6/nsubj is/AUX/VBZ/6/cop a/DET/DT/6/det cat/NOUN/NN/0/root"
    " ./PUNCT/./6/punct",
)
# The second sentence of a text
AND_SAYS = "Normal, as ever! She says: never."
SAYS = parsed(
    "She says: never.",
    "She/PRON/PRP/2/nsubj says/VERB/VBZ/0/root :/PUNCT/:/2/punct never/ADV/RB/2/advmod ./PUNCT/./2/punct",
    start=AND_SAYS.index("She"),
)

EXAMPLES = [
    example(1, "She didn't see the dog.", "The dog sees remarkable cats, she says."),
    example(2, "Normal, as ever!"),
    example(3, AND_SAYS, "An abnormal dog is a cat."),
    example(4, "An abnormal dog is a cat.", "The dog sees remarkable cats, she says.", kept=3),
]
PARSES = {
    "1 first": [DOG],
    "1 second": [CAT],
    "2 first": [NORMAL],
    "3 first": [NORMAL, SAYS],
    "3 second": [ABNORMAL],
    "4 first": [ABNORMAL],
    "4 second": [CAT],
}

# The indices of the tokens that have each feature, by hand, for each example. As described:
#  1  [CLS] she didn ' t see the dog . [SEP] the dog sees remar ##kable cats , she says . [SEP]
#  2  [CLS] norma ##l , as ever ! [SEP]
#  3  [CLS] norma ##l , as ever ! she says : never . [SEP] an abnor ##mal dog is a cat . [SEP]
#  4  [CLS] an abnor ##mal [SEP] the dog sees [SEP]
DESCRIBED = {
    "noun": ([7, 11, 15], [], [16, 19], [6]),
    "verb": ([2, 5, 12, 18], [], [8, 17], [7]),
    "pronoun": ([1, 17], [], [7], []),
    "subject": ([1, 11, 17], [], [7, 16], [6]),
    "object": ([7, 15], [], [19], []),
    "negation": ([2, 3, 4], [], [10], []),
    "cls": ([0], [0], [0], [0]),
    "sep": ([9, 20], [7], [12, 21], [4, 8]),
    "punctuation": ([8, 16, 19], [3, 6], [3, 6, 9, 11, 20], []),
}
# As released, further tokens are the same wordpiece: dog in the first example is subject and object wherever it is.
# "nor" is in "abnormal" but not in "Normal", so the fourth example counts for negation without any token.
RELEASED = DESCRIBED | {"subject": ([1, 7, 11, 17], [], [7, 16], [6]), "object": ([7, 11, 15], [], [19], [])}
TOKENS = {"described": DESCRIBED, "released": RELEASED}
HAS_NEGATION = (True, False, True, True)
