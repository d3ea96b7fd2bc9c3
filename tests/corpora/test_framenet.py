import json
import re
from collections import Counter
from itertools import pairwise
from time import process_time

import nltk.data
import pytest
from nltk import word_tokenize

from bert_attention.corpora.frame_selection import select_framed
from bert_attention.corpora.framenet import read_framenet
from bert_attention.corpora.frames import read_framed
from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.types import FramedSentence, FrameElement
from bert_attention.errors import InputError
from tests.corpora.framenet_files import write_framenet

# A small FrameNet: two frames, and exemplar sentences whose marks are <target> and {element|its words}.
CORE_TYPES = {
    "Mending": {"Mender": "Core", "Cause": "Core", "Thing": "Core", "Place": "Peripheral"},
    "Resting": {"Sleeper": "Core"},
}
CORE_SETS = {"Mending": ["Mender", "Cause"], "Resting": []}
BOTH = ["{Mender|She} would often <mend> things .", "{Cause|Glue} has never really <mended> anything for long . "]
DESCRIBED_ALONE = [
    "{Mender|She} often <mends> things .",  # two tokens apart, not three
    "{Mender|The smith} had at last <mended> {Thing|the gate} .",  # one element adjacent
    "{Mender|She} would often <mend> nets {Place|in the old barn} .",  # another element too long
    "{Thing|The gate} has now been <mended> .",  # core, but in no core set
    "They mended as {Mender|you} soon may have <mended> .",  # near a token that reads like the target
    "{Mender|She} has never really <patched up> anything .",  # a target of two tokens
]
RELEASED_ALONE = ["She mended , for once , as {Mender|you} <mended> ."]  # adjacent, but far from the first "mended"
NEITHER = [
    "{Mender|She} said on that day that nobody but her could ever <mend> it .",
    "She <patched> the roof <up> .",
    "Nothing here has a target .",
    "{Mender|She} <mended> it .",
    "{Place|There} one can always <mend> .",
    "{Mender|The old village smith} was always <mending> .",
]
UNITS = {
    (21, "doze.v", "Resting"): ["{Sleeper|The cat} was almost always <dozing> ."],
    (12, "mend.v", "Mending"): [*BOTH, *DESCRIBED_ALONE, *RELEASED_ALONE, *NEITHER],
    (11, "repair.v", "Mending"): [BOTH[0]],
}


def unmarked(marked):
    """Text of a marked sentence, its targets and its elements, each with its name, start and end."""
    text, targets, elements = "", [], []
    for name, words, target, plain in re.findall(r"\{(\w+)\|([^}]*)\}|<([^>]*)>|([^{<]+)", marked):
        start = len(text)
        text += words or target or plain
        if target:
            targets.append(("Target", start, len(text)))
        if words:
            elements.append((name, start, len(text)))
    return text, targets, elements


def framed(marked, *names, frame="Mending"):
    """Sentence expected from a marked one, with the elements of these names."""
    text, targets, elements = unmarked(marked)
    kept = tuple(
        FrameElement(*element, CORE_TYPES[frame][element[0]] == "Core", element[0] in CORE_SETS[frame])
        for element in elements
        if element[0] in names
    )
    return FramedSentence(text, frame, targets[0][1:], kept)


@pytest.fixture
def framenet(tmp_path):
    """Folder in the format of FrameNet 1.7, as NLTK reads it."""
    folder = tmp_path / "framenet_v17"
    units = {unit: list(map(unmarked, sentences)) for unit, sentences in UNITS.items()}
    write_framenet(folder, CORE_TYPES, CORE_SETS, units, {unmarked(BOTH[1])[0]: "Thing"})
    return folder


def test_the_described_selection_has_its_sentences(framenet):
    sentences, left_out = select_framed(read_framenet(framenet)[0], "described", "FrameNet")
    names = ("Mender", "Cause", "Mender", "Mender", "Mender", "Thing", "Mender", "Mender")
    assert sentences == [
        framed(UNITS[21, "doze.v", "Resting"][0], "Sleeper", frame="Resting"),
        *(framed(marked, name) for marked, name in zip(BOTH + DESCRIBED_ALONE, names, strict=True)),
        framed(BOTH[0], "Mender"),
    ]
    assert left_out == {"sentences of more than 12 tokens": 1, "sentences without a core frame element to link": 4}
    long = [framed(NEITHER[0], "Mender")] * 2
    with pytest.raises(InputError, match=r"f.jsonl: no sentence passes .*'described'; left out: 2 sentences of more"):
        select_framed(long, "described", "f.jsonl")


def test_the_released_selection_has_its_sentences(framenet):
    sentences, left_out = select_framed(read_framenet(framenet)[0], "released", "FrameNet")
    expected = [*BOTH, *RELEASED_ALONE, BOTH[0]]
    assert sentences == [framed(marked, "Mender", "Cause") for marked in expected]
    assert left_out == {
        "sentences of more than 12 tokens": 1,
        "sentences with a frame element of more than 3 tokens": 2,
        "sentences with a frame element near the target": 4,
        "sentences whose target is not one token": 1,
        "sentences without a core frame element to link": 3,
    }


def test_all_sentences_with_a_target_are_read(framenet):
    seen, folders = [], list(nltk.data.path)
    sentences, left_out = read_framenet(framenet, progress=lambda units: seen.extend(units) or iter(units))
    assert seen == [(21, "doze.v"), (12, "mend.v"), (11, "repair.v")]
    assert nltk.data.path == folders
    every = [marked for marked_sentences in UNITS.values() for marked in marked_sentences]
    assert [sentence.text for sentence in sentences] == [unmarked(each)[0] for each in every if each.count("<") == 1]
    assert left_out == {"sentences without a target in one piece": 2}


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("luIndex.xml", None, r"luIndex.xml: is missing\n.*give the folder framenet_v17"),
        ("luIndex.xml", "<luIndex><lu", "framenet_v17: cannot be read"),
        ("luIndex.xml", '<luIndex xmlns="http://framenet.icsi.berkeley.edu"/>', "has no sentence with a target"),
        ("lu/lu12.xml", "<lexUnit><sub", r"framenet_v17, lexical unit mend.v \(12\): cannot be read"),
    ],
)
def test_a_folder_that_is_not_framenet_is_an_error(framenet, file, content, problem):
    (framenet / file).unlink() if content is None else (framenet / file).write_text(content)
    with pytest.raises(InputError, match=problem):
        read_framenet(framenet)


@pytest.mark.parametrize(
    ("text", "target", "elements", "spans"),
    [
        ("The heater he heated as he heated", "heated", ["he", "he"], [(14, 20), (11, 13), (24, 26)]),
        ("He took care of the care taker", "took care", ["care"], [(3, 12), (20, 24)]),
    ],
)
def test_strings_are_found_as_whole_words_at_their_first_free_position(tmp_path, text, target, elements, spans):
    (tmp_path / "f.jsonl").write_text(json.dumps({"text": text, "target": target, "elements": elements}))
    found = tuple(FrameElement("", *span) for span in spans[1:])
    assert read_framed(tmp_path / "f.jsonl") == ([FramedSentence(text, "", spans[0], found)], {})


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"text": 3}, "expected text, found 3"),
        ({"text": "_ __ _"}, "the words of the text are blanked out"),
        ({"frame": 3}, "expected text, found 3"),
        ({"target": [3, 8]}, "the span 3 to 8 is not in the text, which has 7 characters"),
        ({"target": [3, 3]}, "the span 3 to 3 is not in the text"),
        ({"target": [3]}, 'expected [start, end] for "target", found [3]'),
        ({"elements": [{"name": "E", "start": 0}]}, "lacks the key 'end'"),
        ({"elements": [{"name": "E", "start": 0, "end": 2, "core": 1}]}, 'expected true or false for "core"'),
        ({"target": "sang", "elements": ["H"]}, "'H' is not in the text as whole words"),
        ({"target": " ", "elements": []}, "' ' is not in the text"),
    ],
)
def test_a_bad_line_is_an_error_that_names_it_or_is_skipped(tmp_path, change, problem):
    good = FramedSentence("He sang", "F", (3, 7), (FrameElement("E", 0, 2, core=False), FrameElement("ß", 3, 4)))
    path = tmp_path / "f.jsonl"
    write_records([good], path)
    assert read_framed(path) == ([good], {})
    path.write_text(path.read_text() + json.dumps(json.loads(path.read_text()) | change) + "\n")
    with pytest.raises(InputError, match=rf"f.jsonl, line 2: {re.escape(problem)}.*\n  Remedy: give one JSON object"):
        read_framed(path)
    assert read_framed(path, on_bad_input="skip") == ([good], {"bad lines": 1})


def test_all_published_sentences_are_read_and_selected(real_data):
    sentences, left_out = read_framed(real_data("framenet/kovaleva_473.jsonl"))
    parts = [sentence.text[part.start : part.end] for sentence in sentences for part in sentence.elements]
    assert (len(sentences), len(set(sentences)), len(parts), left_out) == (473, 472, 481, {})
    assert all(select_framed(sentences, way, "theirs") == (sentences, {}) for way in ("described", "released"))
    # Without splitting into sentences, NLTK finds the authors' numbers of tokens.
    assert Counter(len(word_tokenize(part, preserve_line=True)) for part in parts) == {1: 330, 2: 125, 3: 26}
    assert max(len(word_tokenize(sentence.text, preserve_line=True)) for sentence in sentences) == 12


FRAME = {"text": "He runs home", "frame": "Motion", "target": [3, 7], "elements": []}
GOAL = {"name": "Goal", "start": 8, "end": 12}


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"frame": "\ud800"}, "surrogates not allowed"),
        ({"elements": [GOAL | {"name": 5}]}, "expected text, found 5"),
        ({"elements": [GOAL | {"name": ["x"]}]}, "expected text"),
        ({"target": [False, True]}, "the span False to True"),
        ({"elements": [GOAL | {"Core": False}]}, "an element has the key 'Core'; its keys are core,"),
        ({"text": "a " * 30_000}, "the text has 60000 characters"),
        ({"elements": [GOAL] * 101}, "expected a list of at most 100 entries"),
    ],
)
def test_a_field_of_a_wrong_kind_is_an_error(tmp_path, changes, problem):
    (tmp_path / "f.jsonl").write_text(json.dumps(FRAME | changes) + "\n")
    with pytest.raises(InputError, match=rf"f.jsonl, line 1: .*{problem}"):
        read_framed(tmp_path / "f.jsonl")


@pytest.mark.parametrize("key", ["text", "frame"])
def test_a_key_that_stands_twice_is_an_error(tmp_path, key):
    (tmp_path / "f.jsonl").write_text(json.dumps(FRAME).replace("{", f'{{"{key}": "other", ', 1) + "\n")
    with pytest.raises(InputError, match=f"has a key twice: '{key}'"):
        read_framed(tmp_path / "f.jsonl")


@pytest.mark.parametrize("elements", [["a"] * 100, ["a " * n for n in range(1, 100)]])
def test_many_elements_take_linear_time(tmp_path, elements):
    record = {"text": "a " * 24_000 + "b", "target": "b", "elements": elements[::-1]}
    (tmp_path / "f.jsonl").write_text(json.dumps(record) + "\n")
    started = process_time()
    (sentence,), _ = read_framed(tmp_path / "f.jsonl")
    assert process_time() - started < 2
    spans = sorted((element.start, element.end) for element in sentence.elements)
    assert len(spans) == len(elements)
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
