import copy
import itertools

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.papers.clark.probe_features import control_behaviors, control_heads, probe_inputs
from bert_attention.papers.clark.probes import (
    AttentionProbes,
    AttentionWordProbes,
    DistanceWordProbes,
    probe_loss,
    table,
    train_and_count,
    train_probes,
)
from bert_attention.statistics.sums import blocks_of, spread_sample
from tests.treebanks import HEADS, LAYERS, InStore, random_sequences, random_trees, tree, with_syntactic_head

DIMENSIONS = 4
MAPS = 2 * LAYERS * HEADS
VARIANTS = ("described", "released")
CPU = torch.device("cpu")
FORMS = [f"w{i}" for i in range(12)]


@pytest.fixture(scope="module")
def vectors():
    """Vectors of all words but w0 and w1."""
    keyed = KeyedVectors(DIMENSIONS)
    keyed.add_vectors(FORMS[2:], np.random.default_rng(1).normal(size=(10, DIMENSIONS)).astype(np.float32))
    return keyed


def treebank(seed, sentences):
    """Random trees, a third of whose words are punctuation, and random attention."""
    trees = random_trees(seed, sentences, longest=8, relations=("dep", "dep", "punct"), forms=FORMS)
    return trees, random_sequences(trees, seed)


def inputs_of(part, vectors, behaviors):
    return list(probe_inputs(*part, vectors, behaviors, CPU))


# --- the formulas, one pair of words at a time, in float64; autograd makes the gradients ---


def plain_pair(matrix, variant, dependent, column):
    """The dependent's and the candidate's vector, of columns ROOT, 1, ..., m; zeros in the column without them."""
    words = [torch.from_numpy(vector).double() for vector in matrix]
    candidate = ([None, *words] if variant == "described" else [*words, None])[column]
    return torch.zeros(2 * DIMENSIONS).double() if candidate is None else torch.cat([words[dependent - 1], candidate])


def plain_features(attention, dependent, column, root):
    """Attention of all maps between a dependent (from 1) and a candidate; the second half of maps is transposed."""
    by_head = torch.from_numpy(attention).double().flatten(0, 1)
    maps = torch.cat([by_head, by_head.mT])
    if column == 0:
        return root[0] * maps[:, dependent, 0] + root[1] * maps[:, dependent, -1]
    return maps[:, dependent, column]


def plain_distances(m, dependent, column):
    if column == 0:
        return [0, 0, 0, 0, 0, 0, 0, 1]
    offset = column - dependent
    return [max(offset, 0) / m, max(-offset, 0) / m, *(float(offset == o) for o in (0, -1, 1, -2, 2)), 0]


def from_dependent(weights):
    """Weights of maps seen from the candidate, in the order of maps seen from the dependent."""
    return weights.roll(MAPS // 2, -1)


def plain_attention(own, attention, _matrix, _variant, dependent, column):
    return from_dependent(own["weights"]) @ plain_features(attention, dependent, column, own["root"])


def plain_attention_and_words(own, attention, matrix, variant, dependent, column):
    kernel = torch.cat([own["dependent"], from_dependent(own["candidate"])])
    weights = plain_pair(matrix, variant, dependent, column) @ kernel + from_dependent(own["bias"])
    return weights @ plain_features(attention, dependent, column, own["root"])


def plain_perceptron(own, _attention, matrix, variant, dependent, column):
    distances = torch.tensor(plain_distances(len(matrix), dependent, column)).double()
    kernel = torch.cat([own["distance"], own["dependent"], own["candidate"]])
    pair = plain_pair(matrix, variant, dependent, column)
    return torch.tanh(torch.cat([distances, pair]) @ kernel + own["bias"]) @ own["output"]


def plain_scores(formula, own, attention, matrix, variant):
    """Scores ``[m, m + 1]`` of one probe, whose parameters are given by name."""
    m = len(matrix)
    cells = itertools.product(range(1, m + 1), range(m + 1))
    return torch.stack([formula(own, attention, matrix, variant, *cell) for cell in cells]).view(m, m + 1)


def plain_loss(scores, heads):
    return sum(row.exp().sum().log() - row[head] for row, head in zip(scores, heads, strict=True))


PROBES = {
    "attention": (AttentionProbes(MAPS, torch.Generator()), plain_attention),
    "attention and words": (AttentionWordProbes(MAPS, DIMENSIONS, torch.Generator()), plain_attention_and_words),
    "distances and words": (DistanceWordProbes(DIMENSIONS, torch.Generator()), plain_perceptron),
}


def redrawn(module, seed):
    """A copy with random parameters that differ between probes, so that a mix-up of probes is found."""
    module, generator = copy.deepcopy(module), torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0.0, 0.4, generator=generator)
    return module


def in_float64(module):
    return {name: value.detach().double().requires_grad_() for name, value in module.named_parameters()}


def close(found, expected):
    torch.testing.assert_close(found.double(), expected, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kind", PROBES)
@given(st.integers(0, 1000))
@settings(max_examples=5)
def test_scores_loss_and_gradients_equal_the_plain_formula(vectors, kind, seed):
    module, formula = PROBES[kind]
    module = redrawn(module, seed)
    (sentence,), (sequence,) = treebank(seed, 1)
    behaviors = control_behaviors([sentence], seed)
    (given_,) = inputs_of(([sentence], [sequence]), vectors, behaviors)
    heads = ([word.head for word in sentence.words], control_heads(sentence.forms, behaviors))
    scores = module(given_)
    loss = probe_loss(scores, given_.heads)
    loss.backward()
    parameters, expected_loss = in_float64(module), 0
    for probe, (variant, task) in enumerate(itertools.product(range(len(scores)), range(2))):
        own = {name: values[probe] for name, values in parameters.items()}
        expected = plain_scores(formula, own, sequence.attention, given_.vectors.numpy(), VARIANTS[variant])
        close(scores[variant, task], expected)
        expected_loss += plain_loss(expected, heads[task])
    close(loss, expected_loss)
    expected_loss.backward()
    for name, values in module.named_parameters():
        close(values.grad, parameters[name].grad)


# --- what the probes see and predict ---


def test_released_columns_are_shifted_by_one(vectors):
    trees = [tree([2, 0, 2], ["dep", "root", "punct"], ["w2", "W3", "unknown"])]
    (given_,) = inputs_of((trees, random_sequences(trees)), vectors, {"w2": 0, "W3": 1, "unknown": 2})
    known = [torch.tensor(vectors[form]) for form in ("w2", "w3")]
    none = torch.zeros(DIMENSIONS)
    assert torch.equal(given_.candidate_vectors[0], torch.stack([none, *known, none]))
    assert torch.equal(given_.candidate_vectors[1], torch.stack([*known, none, none]))
    assert given_.has_words.tolist() == [[0, 1, 1, 1], [1, 1, 1, 0]]
    assert given_.heads.tolist() == [[2, 0, 2], [1, 1, 3]]
    assert given_.scored.tolist() == [True, True, False]


def test_control_behaviors_belong_to_word_forms():
    sentences = [tree([0] * 40, forms=[f"f{i}" for i in range(40)])] * 2
    behaviors = control_behaviors(sentences, seed=3)
    assert behaviors == control_behaviors(sentences[:1], seed=3)
    assert behaviors != control_behaviors(sentences, seed=4)
    assert set(behaviors.values()) == {0, 1, 2}
    assert control_heads(["a", "b", "c", "a"], {"a": 0, "b": 1, "c": 2}) == [1, 1, 4, 4]


# --- training ---


def table_of(train, dev, random_train, random_dev, vectors, seed=0):
    sums = train_probes(train[0], dev[0], train[1], dev[1], random_train, random_dev, vectors, seed, "cpu")
    return table(sums).set_index(["probe", "variant"])


def test_rows_come_from_the_attention_that_they_name(vectors):
    train, dev = treebank(0, 400), treebank(1, 60)
    for part in (train, dev):
        with_syntactic_head(*part)
    noise = [random_sequences(part[0], seed=2) for part in (train, dev)]
    scores = table_of(train, dev, *noise, vectors)
    for variant in VARIANTS:
        informed = scores.loc[[("attention", variant), ("attention_glove", variant)], "uas"]
        assert informed.min() > 0.2 + scores.loc[("random_init_glove", variant), "uas"]
        assert informed.min() > 0.2 + scores.loc[("distances_glove", variant), "uas"]


def test_rows_are_of_the_variant_and_task_that_they_name(vectors):
    train, dev = treebank(11, 60), treebank(12, 60)
    scores = table_of(train, dev, train[1], dev[1], vectors)
    behaviors = control_behaviors([*train[0], *dev[0]], 0)
    of_train, of_dev = (inputs_of(part, vectors, behaviors) for part in (train, dev))
    alone = {"alone": DistanceWordProbes(DIMENSIONS, torch.Generator().manual_seed(0))}
    counts = train_and_count(alone, of_train, of_dev, CPU)["alone"]
    uas = counts.sum(0) / scores["n"].iloc[0]
    assert len(np.unique(uas)) == 4
    rows = scores.loc["distances_glove"].loc[list(VARIANTS)]
    np.testing.assert_allclose(rows[["uas", "control_uas"]], uas)
    np.testing.assert_allclose(rows["selectivity"], uas[:, 0] - uas[:, 1])


def test_the_table_on_two_known_sentences(vectors):
    train = treebank(6, 5)
    dev = [tree([2, 0, 2], ["dep", "root", "punct"]), tree([2, 3, 4, 0])]
    attention = random_sequences(dev)
    scores = table_of(train, (dev, attention), train[1], attention, vectors)
    assert len(scores) == 10
    assert set(scores["n"]) == {6}
    for variant in VARIANTS:
        # Right-branching: 1 -> 2 of the first sentence; 1, 2, 3 of the second; the root is never right.
        assert scores.loc[("right_branching", variant), "uas"] == pytest.approx(4 / 6)
    assert scores["control_uas"].isna().sum() == scores["selectivity"].isna().sum() == 2
    assert scores.loc[("attention", "described")].equals(scores.loc[("attention", "released")])


def test_random_weights_are_tested_on_a_sample_of_the_sentences(vectors):
    train, dev = treebank(13, 40), treebank(14, 30)
    units, blocks = spread_sample(blocks_of(range(30)), 12)
    trees, sequences = ([part[unit] for unit in units] for part in dev)
    found = table_of(train, dev, train[1], InStore(sequences, blocks), vectors)
    alone = table_of(train, (trees, sequences), train[1], InStore(sequences), vectors)
    whole = table_of(train, dev, train[1], dev[1], vectors)
    assert found.loc["random_init_glove"].equals(alone.loc["random_init_glove"])
    assert found.drop("random_init_glove", level="probe").equals(whole.drop("random_init_glove", level="probe"))


@pytest.mark.parametrize(
    ("forms", "known"), [(["w2", "W3", "w1"], 1 / 2), (["w0", "W2", "w4"], 1 / 2), (FORMS[2:5], 1)]
)
def test_the_table_has_the_share_of_scored_words_with_a_vector(vectors, forms, known):
    dev = [tree([2, 0, 2], ["dep", "punct", "root"], forms)]
    attention = random_sequences(dev)
    found = table_of(treebank(6, 5), (dev, attention), treebank(6, 5)[1], attention, vectors)["known_words"]
    assert set(found.xs("attention_glove")) == set(found.xs("random_init_glove")) == {known}
    assert found.xs("attention").isna().all() and found.xs("right_branching").isna().all()


def test_a_seed_gives_the_same_table_and_the_number_of_threads_is_restored(vectors):
    train, dev = treebank(7, 20), treebank(8, 10)
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    tables = [table_of(train, dev, train[1], dev[1], vectors, seed) for seed in (0, 0, 1)]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
    assert torch.get_num_threads() == 2
    torch.set_num_threads(threads)


def test_training_together_equals_training_separately(vectors):
    """One probe at a time, by the plain formula and the textbook's Adam in float64; only scored words are counted."""
    trees, sequences = treebank(9, 20)
    module = AttentionWordProbes(MAPS, DIMENSIONS, torch.Generator().manual_seed(0))
    initial = in_float64(module)
    inputs = inputs_of((trees, sequences), vectors, control_behaviors(trees, 0))
    probes = {"together": module, "beside": AttentionProbes(MAPS, torch.Generator())}
    counts = train_and_count(probes, inputs, inputs[:1], CPU)["together"]
    for probe, (variant, task) in enumerate(itertools.product(VARIANTS, range(2))):
        own = {name: values[probe].detach() for name, values in initial.items()}
        moments = dict.fromkeys(own, (0, 0))
        for step, (sentence, sequence) in enumerate(zip(inputs, sequences, strict=True), start=1):
            leaves = {name: values.clone().requires_grad_() for name, values in own.items()}
            matrix = sentence.vectors.numpy()
            scores = plain_scores(plain_attention_and_words, leaves, sequence.attention, matrix, variant)
            plain_loss(scores, sentence.heads[task]).backward()
            for name, leaf in leaves.items():
                first, second = moments[name]
                moments[name] = (0.9 * first + 0.1 * leaf.grad, 0.999 * second + 0.001 * leaf.grad**2)
                mean, square = moments[name][0] / (1 - 0.9**step), moments[name][1] / (1 - 0.999**step)
                own[name] = own[name] - 0.002 * mean / (square.sqrt() + 1e-8)
        for name, values in module.named_parameters():
            close(values[probe].detach(), own[name])
        first, attention = inputs[0], sequences[0].attention
        scores = plain_scores(plain_attention_and_words, own, attention, first.vectors.numpy(), variant)
        hits = (scores.argmax(-1) == first.heads[task]) & first.scored
        assert counts[0].flatten()[probe] == hits.sum()
