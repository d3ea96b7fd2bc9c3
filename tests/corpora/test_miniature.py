import re
from collections import Counter, defaultdict
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import pearsonr
from sklearn.tree import DecisionTreeClassifier

from bert_attention.conllu import read_conllu, write_conllu
from bert_attention.corpora.corefud import read_corefud, write_corefud
from bert_attention.corpora.glue import LAYOUTS, read_task, write_task
from bert_attention.corpora.miniature import framed_sentences, generate_documents, pair_tasks
from bert_attention.corpora.miniature.clauses import utterance
from bert_attention.corpora.miniature.content import answers, contradicts, entails, likeness, same_meaning
from bert_attention.corpora.miniature.inflection import plural, verb_forms
from bert_attention.corpora.miniature.lexicon import ADJECTIVES, GIVEN_NAMES, NOUNS, SURNAMES
from bert_attention.corpora.miniature.meaning import (
    Clause,
    Coordination,
    NounPhrase,
    Property,
    Relative,
    Setting,
    Subordinate,
    Time,
    Utterance,
)
from bert_attention.corpora.miniature.opinions import polarity
from bert_attention.corpora.miniature.trees import place, spoken, tree_sentence
from bert_attention.corpora.miniature.verbs import BE, VERBS

SIZE = 3000
SEED = 7


@pytest.fixture(scope="module")
def documents():
    return generate_documents(SIZE, SEED)


@pytest.fixture(scope="module")
def sentences(documents):
    return [sentence for document in documents for sentence in document.sentences]


@pytest.fixture(scope="module")
def tasks():
    return pair_tasks(600, 100, SEED)


# Known answers.

VERB = {verb.name: verb for verb in reversed(VERBS)}  # of two patterns the first
ANNA = NounPhrase(next(name for name in GIVEN_NAMES if name.lemma == "Anna"), determiner=None)
TOM = NounPhrase(next(name for name in GIVEN_NAMES if name.lemma == "Tom"), determiner=None)
KEY = NounPhrase(NOUNS["key"], adjectives=(ADJECTIVES["old"],))
PARK = Setting("in", NounPhrase(NOUNS["park"]))
YESTERDAY = Time(("yesterday",))

FOUND = Clause(VERB["find"], subject=ANNA, object=KEY, adjuncts=(PARK, YESTERDAY))
GAVE = Clause(VERB["give"], subject=ANNA, object=KEY, recipient=TOM)
PICKED = Clause(VERB["pick_up"], subject=ANNA, object=KEY)
SAW = Clause(VERB["see"], subject=ANNA, object=TOM)
SLEPT = Clause(VERB["sleep"], subject=TOM)


def say(clause, **around):
    return spoken(utterance(Utterance(clause, **around)))


@pytest.mark.parametrize(
    ("clause", "text"),
    [
        (FOUND, "Anna found the old key in the park yesterday."),
        (replace(FOUND, passive=True, front=YESTERDAY, adjuncts=()), "Yesterday, the old key was found by Anna."),
        (replace(FOUND, negated=True, contracted=True, adjuncts=()), "Anna didn't find the old key."),
        (replace(FOUND, perfect=True, tense="present", adjuncts=()), "Anna has found the old key."),
        (GAVE, "Anna gave the old key to Tom."),
        (replace(GAVE, recipient_first=True, tense="future"), "Anna will give Tom the old key."),
        (PICKED, "Anna picked up the old key."),
        (replace(PICKED, particle_last=True), "Anna picked the old key up."),
        (Clause(VERB["say"], subject=ANNA, content=SLEPT, conjunction="that"), "Anna said that Tom slept."),
        (replace(SLEPT, front=Subordinate("because", SAW)), "Because Anna saw Tom, Tom slept."),
        (Clause(BE, subject=replace(KEY, determiner="a"), existential=True), "There was an old key."),
        (
            replace(SLEPT, subject=NounPhrase(NOUNS["thief"], number="Plur"), progressive=True),
            "The thieves were sleeping.",
        ),
        (
            replace(SAW, object=NounPhrase(NOUNS["dog"], owner=replace(TOM, names=(SURNAMES[0],)))),
            "Anna saw Tom Miller's dog.",
        ),
        (
            replace(
                SAW, object=NounPhrase(NOUNS["man"], clause=Relative(replace(SAW, subject=None), "subject", "who"))
            ),
            "Anna saw the man who saw Tom.",
        ),
    ],
)
def test_a_meaning_in_words(clause, text):
    assert say(clause) == text


def test_questions_and_what_surrounds_a_clause():
    question = replace(FOUND, question="where", adjuncts=())
    assert say(question, addressee=TOM, addressee_last=True, final="?") == "Where did Anna find the old key, Tom?"
    assert say(SLEPT, interjection="yes", speech=Clause(VERB["say"], subject=ANNA)) == "Yes, Tom slept, Anna said."
    assert say(replace(PICKED, subject=None), imperative=True, final="!") == "Pick up the old key!"


def test_the_tree_of_a_sentence():
    placed = place(utterance(Utterance(replace(PICKED, passive=True, negated=True, contracted=True))))
    words = tree_sentence(placed).words
    assert [(word.form, word.xpos, word.head, word.relation, word.misc) for word in words] == [
        ("The", "DT", 3, "det", "_"),
        ("old", "JJ", 3, "amod", "_"),
        ("key", "NN", 6, "nsubj:pass", "_"),
        ("was", "VBD", 6, "aux:pass", "SpaceAfter=No"),
        ("n't", "RB", 6, "advmod", "_"),
        ("picked", "VBN", 0, "root", "_"),
        ("up", "RP", 6, "compound:prt", "_"),
        ("by", "IN", 9, "case", "_"),
        ("Anna", "NNP", 6, "obl:agent", "SpaceAfter=No"),
        (".", ".", 6, "punct", "_"),
    ]


def test_inflection():
    assert [plural(noun) for noun in ("city", "boy", "box", "child", "key")] == [
        "cities",
        "boys",
        "boxes",
        "children",
        "keys",
    ]
    assert verb_forms("carry") == ("carry", "carries", "carried", "carried", "carrying")
    assert verb_forms("admit")[2:] == ("admitted", "admitted", "admitting")
    assert verb_forms("write")[2:] == ("wrote", "written", "writing")


# Trees.


def test_trees_are_projective_and_text_is_what_the_words_make(sentences):
    for sentence in sentences:
        arcs = [sorted((number, word.head)) for number, word in enumerate(sentence.words, 1) if word.head]
        assert not any(a < c < b < d for (a, b), (c, d) in combinations(sorted(arcs), 2))
        spaced = "".join(word.form + " " * (word.misc != "SpaceAfter=No") for word in sentence.words)
        assert sentence.comment("text") == spaced.rstrip()


def test_trees_are_read_back(sentences, tmp_path):
    path = tmp_path / "miniature.conllu"  # reading checks that heads make a tree
    write_conllu(sentences, path)
    assert read_conllu(path) == (sentences, Counter())


def test_words_are_analysed(sentences):
    words = [word for sentence in sentences for word in sentence.words]
    assert all(word.upos.isupper() and word.xpos != "_" and word.lemma for word in words)
    assert all(word.feats != "_" for word in words if word.upos in ("NOUN", "VERB", "AUX", "PRON", "DET", "NUM"))
    assert 300 <= len({word.lemma for word in words}) <= 600


def test_no_relation_has_its_head_at_a_fixed_place(sentences):
    offsets = defaultdict(Counter)
    for sentence in sentences:
        for number, word in enumerate(sentence.words, 1):
            if word.head:
                offsets[word.relation][word.head - number] += 1
    assert len(offsets) >= 25
    best = {relation: max(found.values()) / found.total() for relation, found in offsets.items()}
    assert best["obj"] < 0.6
    assert {
        relation: share for relation, share in best.items() if share > 0.85 and offsets[relation].total() >= 50
    } == {}


def test_sentences_are_short_and_differ(sentences):
    assert 8 <= np.mean([len(sentence.words) for sentence in sentences]) <= 16
    assert len({sentence.forms for sentence in sentences}) > 0.95 * len(sentences)


def test_a_seed_gives_the_same_documents_and_more_of_them_begin_alike(documents):
    fewer = generate_documents(200, SEED)
    assert fewer == documents[: len(fewer)]
    assert sum(len(document.sentences) for document in fewer[:-1]) < 200
    assert generate_documents(50, SEED + 1)[0].sentences != fewer[0].sentences


# Coreference.


def test_coreference_is_read_back(documents, tmp_path):
    path = tmp_path / "miniature.conllu"
    write_corefud(documents, path)
    assert read_corefud(path) == (list(documents), Counter())


def test_chains_have_two_mentions_or_more_and_agree_in_number(documents):
    singular, plural_pronouns = {"he", "him", "his", "she", "her", "it", "its"}, {"they", "them", "their"}
    for document in documents:
        words = [word for sentence in document.sentences for word in sentence.words]
        chains = defaultdict(list)
        for mention in document.mentions:
            chains[mention.chain].append(mention)
        for mentions in chains.values():
            assert len(mentions) > 1
            assert mentions[0].type != "pronoun" or words[mentions[0].head].lemma in ("I", "my", "we", "our")
            pronouns = {words[mention.head].form.lower() for mention in mentions if mention.type == "pronoun"}
            assert not (pronouns & singular and pronouns & plural_pronouns)
            assert not (pronouns & {"he", "him", "his"} and pronouns & {"she", "her"})


def test_the_nearest_mention_is_a_poor_guess(documents):
    right = []
    for document in documents:
        mentions = sorted(document.mentions, key=lambda mention: mention.head)
        for number, mention in enumerate(mentions):
            if mention.chain in {earlier.chain for earlier in mentions[:number]}:
                right.append(mentions[number - 1].chain == mention.chain)
    assert 0.2 < np.mean(right) < 0.6
    types = Counter(mention.type for document in documents for mention in document.mentions)
    assert min(types[kind] for kind in ("pronoun", "proper", "nominal")) > 0.15 * types.total()


# Frames.


def test_frames_stand_in_the_sentences_of_the_documents(sentences):
    texts = {sentence.comment("text") for sentence in sentences}
    framed = framed_sentences(SIZE, SEED)
    assert len(framed) > SIZE
    assert len({sentence.frame for sentence in framed}) > 60
    for sentence in framed:
        assert sentence.text in texts
        start, end = sentence.target
        assert sentence.text[start:end].isalpha()
        for element in sentence.elements:
            assert re.fullmatch(r"\w(.*\w)?'?", sentence.text[element.start : element.end])
            assert not element.start < end <= element.end  # no element holds its verb


def test_the_elements_of_a_frame():
    giving = [
        (sentence.text[slice(*sentence.target)], {e.name: sentence.text[e.start : e.end] for e in sentence.elements})
        for sentence in framed_sentences(SIZE, SEED)
        if sentence.frame == "Giving" and len(sentence.elements) == 3
    ]
    assert giving
    for target, elements in giving:
        assert re.fullmatch("g(ives?|ave|iven|iving)", target.lower())
        assert set(elements) == {"Donor", "Theme", "Recipient"}
        assert not re.match("by |to ", elements["Theme"])


# Tasks.


def test_tasks_have_the_layout_of_glue_and_are_read_back(tasks, tmp_path):
    assert set(tasks) == set(LAYOUTS)
    for name, task in tasks.items():
        assert (task.name, task.classes, task.metrics) == (name, LAYOUTS[name].classes, LAYOUTS[name].metrics)
        assert (len(task.train), len(task.validation)) == (600, 100)
        assert {example.second is None for example in task.train} == {len(LAYOUTS[name].sentences) == 1}
        write_task(task, tmp_path / name)
        assert read_task(tmp_path / name, name) == (task, Counter())


def test_classes_are_balanced_and_scores_spread(tasks):
    for task in tasks.values():
        labels = np.array([example.label for example in task.train])
        if task.classes:
            shares = np.bincount(labels.astype(int), minlength=len(task.classes)) / len(labels)
            assert np.all(np.abs(shares * len(task.classes) - 1) < 0.2)
        else:
            assert np.all(np.histogram(labels, 5, (0, 5))[0] > 0.1 * len(labels))


def test_tasks_are_drawn_again_alike_and_more_of_them_begin_alike(tasks):
    fewer = pair_tasks(30, 20, SEED)
    for name, task in fewer.items():
        assert task.train == tasks[name].train[:30]
        assert task.validation == tasks[name].validation[:20]


def test_training_examples_are_not_met_again(tasks):
    for task in tasks.values():
        train = {(example.first, example.second) for example in task.train}
        assert len(train) > 0.95 * len(task.train)
        assert sum((example.first, example.second) in train for example in task.validation) <= 2


def overlap(first, second):
    """Shared words as a share of all (Jaccard's), and of the second sentence's."""
    one, two = (Counter(re.findall(r"\w+|[^\w\s]", text.lower())) for text in (first, second))
    shared = (one & two).total()
    return shared / (one | two).total(), shared / two.total()


def test_word_overlap_alone_does_not_decide(tasks):
    # measured on 1,000 examples with thresholds fitted to them: MRPC 0.66, QQP 0.65, RTE 0.76, QNLI 0.53, MNLI 0.56
    # (of three), where the majority gives 0.5 and 0.35; STS-B correlates at 0.83
    for name in ("mrpc", "qqp", "rte", "qnli", "mnli"):
        examples = tasks[name].train
        overlaps = np.array([overlap(example.first, example.second) for example in examples])
        labels = [example.label for example in examples]
        for measure in range(2):
            column = overlaps[:, [measure]]
            tree = DecisionTreeClassifier(max_leaf_nodes=len(tasks[name].classes), random_state=0)
            assert tree.fit(column, labels).score(column, labels) < 0.8
    examples = tasks["stsb"].train
    overlaps = [overlap(example.first, example.second)[0] for example in examples]
    assert 0.5 < pearsonr(overlaps, [example.label for example in examples])[0] < 0.9


def test_opinion_words_alone_do_not_decide(tasks):
    good = re.compile(
        r"good|great|wonderful|beautiful|clever|friendly|brave|polite|interesting|delicious|fresh|useful|clean"
        r"|(loved?|enjoy(ed)?|admired?|praised?|believed?)s?"
    )
    right = [any(map(good.fullmatch, e.first.rstrip(".").split())) == bool(e.label) for e in tasks["sst2"].train]
    assert 0.55 < np.mean(right) < 0.8  # the rest is negation


def test_the_same_in_other_words():
    assert same_meaning(FOUND, replace(FOUND, passive=True, front=YESTERDAY, adjuncts=(PARK,)))
    assert same_meaning(GAVE, replace(GAVE, recipient_first=True))
    assert same_meaning(PICKED, replace(PICKED, particle_last=True))
    both = Coordination((ANNA, TOM))
    assert same_meaning(replace(SLEPT, subject=both), replace(SLEPT, subject=replace(both, members=(TOM, ANNA))))


@pytest.mark.parametrize(
    "other",
    [
        replace(SAW, subject=TOM, object=ANNA),
        replace(SAW, negated=True),
        replace(SAW, tense="future"),
        replace(SAW, verb=VERB["hear"]),
        replace(SAW, adjuncts=(PARK,)),
        replace(SAW, question="truth"),
    ],
)
def test_something_else(other):
    assert not same_meaning(SAW, other)


def thinks(verb, content, **fields):
    return Clause(VERB[verb], subject=ANNA, content=content, conjunction="that", **fields)


@pytest.mark.parametrize(
    ("premise", "hypothesis", "expected"),
    [
        (FOUND, replace(FOUND, adjuncts=(), object=replace(KEY, adjectives=())), True),
        (FOUND, replace(FOUND, subject=None, passive=True), True),
        (replace(FOUND, adjuncts=()), FOUND, False),
        (SAW, replace(SAW, subject=TOM, object=ANNA), False),
        # what is denied of something in particular need not be so in general
        (replace(FOUND, negated=True), replace(FOUND, negated=True, adjuncts=()), False),
        (
            replace(SLEPT, subject=replace(KEY, determiner="every")),
            replace(SLEPT, subject=NounPhrase(NOUNS["key"], determiner="every")),
            False,
        ),
        (replace(SLEPT, modal="may", tense="present"), replace(SLEPT, tense="present"), False),
        (replace(SLEPT, adjuncts=(Subordinate("because", SAW),)), SLEPT, True),
        (replace(SLEPT, adjuncts=(Subordinate("if", SAW),)), SLEPT, False),
        (thinks("know", SLEPT), SLEPT, True),
        (thinks("know", SLEPT, negated=True), SLEPT, False),
        (thinks("hope", SLEPT), SLEPT, False),
        (replace(SAW, also=("and", SLEPT)), SLEPT, True),
        (replace(SAW, also=("and", SLEPT)), SAW, True),
        (
            Clause(VERB["manage"], subject=TOM, content=Clause(VERB["sleep"], tense="present")),
            SLEPT,
            True,
        ),
        (
            Clause(VERB["try"], subject=TOM, content=Clause(VERB["sleep"], tense="present")),
            SLEPT,
            False,
        ),
    ],
)
def test_what_follows(premise, hypothesis, expected):
    assert entails(premise, hypothesis) == expected


def test_what_is_denied():
    denied = replace(FOUND, negated=True, adjuncts=())
    assert contradicts(FOUND, denied)
    assert contradicts(denied, FOUND)
    assert not contradicts(replace(FOUND, adjuncts=()), replace(FOUND, negated=True))  # perhaps elsewhere
    assert not contradicts(SAW, SLEPT)


def test_what_answers_a_question():
    asked = replace(FOUND, question="where", adjuncts=())
    assert answers(FOUND, asked)
    assert answers(replace(FOUND, passive=True), asked)
    assert not answers(replace(FOUND, adjuncts=(YESTERDAY,)), asked)
    assert not answers(replace(FOUND, subject=TOM), asked)
    assert answers(replace(FOUND, subject=TOM), replace(FOUND, question="subject"))
    assert not answers(replace(SAW, subject=TOM, object=ANNA), replace(SAW, question="object"))


def test_likeness():
    assert likeness(FOUND, replace(FOUND, passive=True)) == 5
    nearly, hardly = replace(FOUND, adjuncts=(PARK,)), replace(SLEPT, adjuncts=(PARK,))
    assert 5 > likeness(FOUND, nearly) > likeness(FOUND, hardly) > likeness(FOUND, SLEPT) == 0


def test_polarity():
    good = Clause(BE, subject=KEY, complement=Property(ADJECTIVES["good"]))
    assert polarity(good) == 1
    assert polarity(replace(good, negated=True)) == -1
    assert polarity(Clause(VERB["hate"], subject=ANNA, object=TOM, negated=True)) == 1
    assert polarity(thinks("think", replace(good, negated=True))) == -1
