import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from gensim.models import KeyedVectors
from hypothesis import given, settings
from hypothesis import strategies as st

from bert_attention.clark.probe_features import (
    control_behaviours,
    control_heads,
    distance_features,
    map_features,
    probe_inputs,
)
from bert_attention.clark.probes import (
    AttentionProbes,
    AttentionWordProbes,
    DistanceWordProbes,
    probe_loss,
    train_and_count,
    train_probes,
)
from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError
from bert_attention.statistics.intervals import bootstrap_interval
from tests.conftest import random_attention

LAYERS, HEADS, DIMENSIONS = 2, 3, 4
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


def a_sentence(heads, relations=None, forms=None):
    forms = forms or [FORMS[i % len(FORMS)] for i in range(len(heads))]
    relations = relations or ["dep"] * len(heads)
    rows = zip(forms, heads, relations, strict=True)
    return Sentence(tuple(Word(form, "_", "_", "_", "_", head, relation) for form, head, relation in rows))


def random_tree(random, words):
    """Each word depends on one attached before it, in random order."""
    order = random.permutation(words) + 1
    heads = [0] * words
    for place in range(1, words):
        heads[order[place] - 1] = int(order[random.integers(place)])
    forms = [FORMS[i] for i in random.integers(len(FORMS), size=words)]
    relations = [("dep", "punct")[i] for i in (random.random(words) < 0.2).astype(int)]
    return a_sentence(heads, relations, forms)


def random_maps(random, words):
    return random_attention(random, LAYERS, HEADS, words + 2)


def stored(attention):
    return [SimpleNamespace(attention=attention[i]) for i in range(len(attention))]


def planted_maps(random, sentence):
    """Noise, but for one head in which every word attends to its head, the root to [CLS]."""
    maps = random_maps(random, len(sentence.words))
    maps[1, 2, 1:-1] *= 0.1
    for place, word in enumerate(sentence.words, start=1):
        maps[1, 2, place, word.head] += 0.9
    return maps


def treebank(seed, sentences, maps=random_maps, longest=9):
    """Random trees and their attention, which ``maps`` makes from a sentence or its length."""
    random = np.random.default_rng(seed)
    trees = [random_tree(random, int(words)) for words in random.integers(3, longest, size=sentences)]
    attention = [maps(random, tree if maps is planted_maps else len(tree.words)) for tree in trees]
    return trees, stored(attention)


# --- the formulas, one number at a time, in float64 ---


def plain_columns(matrix, variant):
    """Word vectors of the columns ROOT, 1, ..., m; None where a column has no pair of words."""
    words = [*np.asarray(matrix, dtype=np.float64)]
    return [None, *words] if variant == "described" else [*words, None]


def plain_feature(attention, k, dependent, column, root):
    """Attention of map k between a dependent (from 1) and a candidate; the second half of maps is transposed."""
    by_head = attention.reshape(-1, *attention.shape[-2:]).astype(np.float64)
    one = by_head[k % len(by_head)]
    one = one if k < len(by_head) else one.T
    if column == 0:
        return root[0] * one[dependent, 0] + root[1] * one[dependent, -1]
    return one[dependent, column]


def plain_pair(matrix, variant, dependent, column):
    """The dependent's and the candidate's vector; zeros in the column without them."""
    candidate = plain_columns(matrix, variant)[column]
    if candidate is None:
        return np.zeros(2 * matrix.shape[1])
    return np.concatenate([np.asarray(matrix[dependent - 1], dtype=np.float64), candidate])


def plain_distances(m, dependent, column):
    if column == 0:
        return [0, 0, 0, 0, 0, 0, 0, 1]
    offset = column - dependent
    return [max(offset, 0) / m, max(-offset, 0) / m, *(float(offset == o) for o in (0, -1, 1, -2, 2)), 0]


def plain_softmax_gradient(scores, heads):
    """The loss, and its derivative by each score."""
    loss, gradient = 0.0, np.zeros_like(scores)
    for row, head in enumerate(heads):
        total = sum(math.exp(score) for score in scores[row])
        loss -= math.log(math.exp(scores[row, head]) / total)
        gradient[row] = [math.exp(score) / total - (column == head) for column, score in enumerate(scores[row])]
    return loss, gradient


def cells(m):
    return [(dependent, column) for dependent in range(1, m + 1) for column in range(m + 1)]


def plain_linear(attention, matrix, variant, kernel, bias, root, heads):
    """Scores, loss and gradients (kernel ``[2 * dimension, map]``, bias, root) of a probe linear in attention."""
    m, maps = len(matrix), len(bias)
    scores = np.zeros((m, m + 1))
    for dependent, column in cells(m):
        weights = plain_pair(matrix, variant, dependent, column) @ kernel + bias
        scores[dependent - 1, column] = sum(
            weights[k] * plain_feature(attention, k, dependent, column, root) for k in range(maps)
        )
    loss, by_score = plain_softmax_gradient(scores, heads)
    to_kernel, to_bias, to_root = np.zeros_like(kernel), np.zeros(maps), np.zeros(2)
    for dependent, column in cells(m):
        pair = plain_pair(matrix, variant, dependent, column)
        for k in range(maps):
            error = by_score[dependent - 1, column]
            feature = plain_feature(attention, k, dependent, column, root)
            to_bias[k] += error * feature
            to_kernel[:, k] += error * feature * pair
            if column == 0:
                weight = pair @ kernel[:, k] + bias[k]
                to_root[0] += error * weight * plain_feature(attention, k, dependent, 0, (1, 0))
                to_root[1] += error * weight * plain_feature(attention, k, dependent, 0, (0, 1))
    return scores, loss, (to_kernel, to_bias, to_root)


def plain_perceptron(matrix, variant, kernel, bias, output, heads):
    """Scores, loss and gradients (kernel ``[8 + 2 * dimension, hidden]``, bias, output) of the baseline."""
    m = len(matrix)
    scores = np.zeros((m, m + 1))
    inputs, hidden = {}, {}
    for cell in cells(m):
        inputs[cell] = np.array([*plain_distances(m, *cell), *plain_pair(matrix, variant, *cell)])
        hidden[cell] = np.tanh(inputs[cell] @ kernel + bias)
        scores[cell[0] - 1, cell[1]] = hidden[cell] @ output
    loss, by_score = plain_softmax_gradient(scores, heads)
    to_kernel, to_bias, to_output = np.zeros_like(kernel), np.zeros_like(bias), np.zeros_like(output)
    for cell in cells(m):
        error = by_score[cell[0] - 1, cell[1]]
        inner = error * output * (1 - hidden[cell] ** 2)
        to_output += error * hidden[cell]
        to_bias += inner
        to_kernel += np.outer(inputs[cell], inner)
    return scores, loss, (to_kernel, to_bias, to_output)


def from_dependent(tensor):
    """Weights of maps seen from the candidate, in the order of maps seen from the dependent."""
    return np.roll(tensor, tensor.shape[-1] // 2, axis=-1)


def numpy64(tensor):
    return tensor.detach().numpy().astype(np.float64)


def drawn_anew(module, seed):
    """The module with random parameters that differ between probes, so that none can pass for another."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0.0, 0.4, generator=generator)
    return module


def one_input(words, seed, vectors):
    random = np.random.default_rng(seed)
    sentence, attention = random_tree(random, words), random_maps(random, words)
    behaviours = control_behaviours([sentence], seed)
    (given_,) = probe_inputs([sentence], stored([attention]), vectors, behaviours, CPU)
    heads = ([word.head for word in sentence.words], control_heads(sentence.forms, behaviours))
    return given_, attention, heads


def scores_and_gradients(module, given_):
    scores = module(given_)
    loss = probe_loss(scores, given_.heads)
    loss.backward()
    return numpy64(scores), loss.item(), {name: numpy64(p.grad) for name, p in module.named_parameters()}


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


@given(st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=10)
def test_attention_probes_equal_the_plain_formula(vectors, words, seed):
    given_, attention, heads = one_input(words, seed, vectors)
    module = drawn_anew(AttentionProbes(MAPS, torch.Generator()), seed)
    scores, loss, gradients = scores_and_gradients(module, given_)
    losses = 0
    for task in range(2):
        parameters = (from_dependent(numpy64(module.weights[task])), numpy64(module.root[task]))
        no_words = np.zeros((words, 0)), "described", np.zeros((0, MAPS))
        plain, one, (_, to_weights, to_root) = plain_linear(attention, *no_words, *parameters, heads[task])
        close(scores[0, task], plain)
        close(from_dependent(gradients["weights"][task]), to_weights)
        close(gradients["root"][task], to_root)
        losses += one
    assert loss == pytest.approx(losses, rel=1e-5)


@given(st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=10)
def test_attention_and_word_probes_equal_the_plain_formula(vectors, words, seed):
    given_, attention, heads = one_input(words, seed, vectors)
    module = drawn_anew(AttentionWordProbes(MAPS, DIMENSIONS, torch.Generator()), seed)
    scores, loss, gradients = scores_and_gradients(module, given_)
    losses = 0
    for place, (variant, task) in enumerate((v, t) for v in VARIANTS for t in range(2)):
        kernel = np.concatenate([numpy64(module.dependent[place]), from_dependent(numpy64(module.candidate[place]))])
        parameters = kernel, from_dependent(numpy64(module.bias[place])), numpy64(module.root[place])
        plain, one, (to_kernel, to_bias, to_root) = plain_linear(
            attention, given_.vectors.numpy(), variant, *parameters, heads[task]
        )
        close(scores[VARIANTS.index(variant), task], plain)
        close(gradients["dependent"][place], to_kernel[:DIMENSIONS])
        close(from_dependent(gradients["candidate"][place]), to_kernel[DIMENSIONS:])
        close(from_dependent(gradients["bias"][place]), to_bias)
        close(gradients["root"][place], to_root)
        losses += one
    assert loss == pytest.approx(losses, rel=1e-5)


@given(st.integers(1, 6), st.integers(0, 1000))
@settings(max_examples=10)
def test_distance_probes_equal_the_plain_formula(vectors, words, seed):
    given_, _, heads = one_input(words, seed, vectors)
    module = drawn_anew(DistanceWordProbes(DIMENSIONS, torch.Generator()), seed)
    scores, loss, gradients = scores_and_gradients(module, given_)
    losses = 0
    for place, (variant, task) in enumerate((v, t) for v in VARIANTS for t in range(2)):
        parts = [numpy64(getattr(module, name)[place]) for name in ("distance", "dependent", "candidate")]
        parameters = np.concatenate(parts), numpy64(module.bias[place]), numpy64(module.output[place])
        plain, one, (to_kernel, to_bias, to_output) = plain_perceptron(
            given_.vectors.numpy(), variant, *parameters, heads[task]
        )
        close(scores[VARIANTS.index(variant), task], plain)
        found = [gradients[name][place] for name in ("distance", "dependent", "candidate")]
        close(np.concatenate(found), to_kernel)
        close(gradients["bias"][place], to_bias)
        close(gradients["output"][place], to_output)
        losses += one
    assert loss == pytest.approx(losses, rel=1e-5)


# --- what the probes see and predict ---


def test_maps_stand_beside_their_transposes():
    attention = torch.arange(2 * 3 * 4 * 4.0).reshape(2, 3, 4, 4)
    maps = map_features(attention)
    assert maps.shape == (4, 12, 4)
    assert maps[1, 4, 3] == attention[1, 1, 1, 3]
    assert maps[1, 6 + 4, 3] == attention[1, 1, 3, 1]


def test_distance_features_of_three_words():
    features = distance_features(3)
    assert features[0, 0].tolist() == [0, 0, 0, 0, 0, 0, 0, 1]
    assert features[0, 1].tolist() == [0, 0, 1, 0, 0, 0, 0, 0]
    assert features[0, 3].tolist() == pytest.approx([2 / 3, 0, 0, 0, 0, 0, 1, 0])
    assert features[1, 1].tolist() == pytest.approx([0, 1 / 3, 0, 1, 0, 0, 0, 0])


def test_released_columns_stand_one_too_early(vectors):
    sentence = a_sentence([2, 0, 2], forms=["w2", "W3", "unknown"])
    (given_,) = probe_inputs(
        [sentence], stored(np.zeros((1, 1, 1, 5, 5))), vectors, {"w2": 0, "W3": 1, "unknown": 2}, CPU
    )
    known = [torch.tensor(vectors[form]) for form in ("w2", "w3")]
    none = torch.zeros(DIMENSIONS)
    assert torch.equal(given_.candidate_vectors[0], torch.stack([none, *known, none]))
    assert torch.equal(given_.candidate_vectors[1], torch.stack([*known, none, none]))
    assert given_.has_words.tolist() == [[0, 1, 1, 1], [1, 1, 1, 0]]
    assert given_.heads.tolist() == [[2, 0, 2], [1, 1, 3]]


def test_punctuation_is_trained_on_but_not_scored(vectors):
    sentence = a_sentence([2, 0, 2], ["dep", "root", "punct"])
    (given_,) = probe_inputs([sentence], stored(np.zeros((1, 1, 1, 5, 5))), vectors, dict.fromkeys(FORMS, 0), CPU)
    assert given_.scored.tolist() == [True, True, False]
    losses = [probe_loss(torch.zeros(2, 2, m, 4), given_.heads[:, :m]).item() for m in (2, 3)]
    assert losses == pytest.approx([4 * 2 * math.log(4), 4 * 3 * math.log(4)])


def test_control_behaviours_belong_to_word_forms():
    sentences = [a_sentence([0] * 40, forms=[f"f{i}" for i in range(40)])] * 2
    behaviours = control_behaviours(sentences, seed=3)
    assert behaviours == control_behaviours(sentences[:1], seed=3)
    assert behaviours != control_behaviours(sentences, seed=4)
    assert set(behaviours.values()) == {0, 1, 2}
    assert control_heads(["a", "b", "c", "a"], {"a": 0, "b": 1, "c": 2}) == [1, 1, 4, 4]


def test_a_sentence_with_other_words_than_its_attention(vectors):
    with pytest.raises(InputError, match="has 2 words, but its attention has 3"):
        list(
            probe_inputs([a_sentence([0, 1])], stored(np.zeros((1, 1, 1, 5, 5))), vectors, dict.fromkeys(FORMS, 0), CPU)
        )


def test_a_sentence_without_attention(vectors):
    with pytest.raises(ValueError, match="zip"):
        list(probe_inputs([a_sentence([0, 1])], [], vectors, dict.fromkeys(FORMS, 0), CPU))


# --- training ---


def table_of(train, dev, random_train, random_dev, vectors, seed=0):
    table = train_probes(train[0], dev[0], train[1], dev[1], random_train, random_dev, vectors, seed, "cpu")
    return table.set_index(["probe", "variant"])


def test_a_head_that_attends_to_the_syntactic_head_is_found(vectors):
    train, dev = treebank(0, 300, planted_maps), treebank(1, 60, planted_maps)
    behaviours = control_behaviours([*train[0], *dev[0]], 0)
    of_train, of_dev = (list(probe_inputs(*part, vectors, behaviours, CPU)) for part in (train, dev))
    generator = torch.Generator().manual_seed(0)
    probes = {
        "attention": AttentionProbes(MAPS, generator),
        "attention_glove": AttentionWordProbes(MAPS, DIMENSIONS, generator),
    }
    correct = train_and_count(probes, of_train * 8, of_dev, CPU)
    total = sum(int(sentence.scored.sum()) for sentence in of_dev)
    for counts in correct.values():
        heads, control = np.moveaxis(counts.sum(0) / total, -1, 0)
        assert (heads > 0.97).all()
        assert (control < 0.7).all()


def test_rows_come_from_the_attention_that_they_name(vectors):
    train, dev = treebank(0, 200, planted_maps), treebank(1, 60, planted_maps)
    noise = [stored([random_maps(np.random.default_rng(2), len(s.words)) for s in part[0]]) for part in (train, dev)]
    table = table_of(train, dev, *noise, vectors)
    for variant in VARIANTS:
        informed = table.loc[[("attention", variant), ("attention_glove", variant)], "uas"]
        assert informed.min() > 0.2 + table.loc[("random_init_glove", variant), "uas"]
        assert informed.min() > 0.2 + table.loc[("distances_glove", variant), "uas"]
    assert table["uas"].between(table["low"], table["high"]).all()


def test_rows_are_of_the_variant_and_task_that_they_name(vectors):
    train, dev = treebank(11, 60), treebank(12, 60)
    table = table_of(train, dev, train[1], dev[1], vectors)
    behaviours = control_behaviours([*train[0], *dev[0]], 0)
    of_train, of_dev = (list(probe_inputs(*part, vectors, behaviours, CPU)) for part in (train, dev))
    alone = {"alone": DistanceWordProbes(DIMENSIONS, torch.Generator().manual_seed(0))}
    counts = train_and_count(alone, of_train, of_dev, CPU)["alone"]
    uas = counts.sum(0) / table["n"].iloc[0]
    assert len(np.unique(uas)) == 4
    rows = table.loc["distances_glove"].loc[list(VARIANTS)]
    np.testing.assert_allclose(rows[["uas", "control_uas"]], uas)
    np.testing.assert_allclose(rows["selectivity"], uas[:, 0] - uas[:, 1])
    total = np.array([[sum(word.relation != "punct" for word in sentence.words)] for sentence in dev[0]])
    bounds = bootstrap_interval(counts[..., 0] - counts[..., 1], total, 0)
    np.testing.assert_allclose(rows[["selectivity_low", "selectivity_high"]].T, bounds)


def test_random_maps_give_chance(vectors):
    train, dev = treebank(4, 100), treebank(5, 150)
    table = table_of(train, dev, train[1], dev[1], vectors)
    chance = np.mean([1 / (len(s.words) + 1) for s in dev[0] for word in s.words if word.relation != "punct"])
    assert table.loc[("attention", "described"), "uas"] == pytest.approx(chance, abs=0.08)


def test_only_scored_words_are_counted(vectors):
    trees, sequences = treebank(10, 30)
    behaviours = control_behaviours(trees, 0)
    for relation, some in (("dep", True), ("punct", False)):
        labelled = [a_sentence([w.head for w in s.words], [relation] * len(s.words), s.forms) for s in trees]
        inputs = list(probe_inputs(labelled, sequences, vectors, behaviours, CPU))
        counts = train_and_count({"attention": AttentionProbes(MAPS, torch.Generator())}, inputs, inputs, CPU)
        assert (counts["attention"].sum(0) > 0).all() == some


def test_the_table_on_two_known_sentences(vectors):
    train = treebank(6, 5)
    dev = [a_sentence([2, 0, 2], ["dep", "root", "punct"]), a_sentence([2, 3, 4, 0])]
    attention = [SimpleNamespace(attention=random_maps(np.random.default_rng(0), len(s.words))) for s in dev]
    table = table_of(train, (dev, attention), train[1], attention, vectors)
    assert len(table) == 10
    assert set(table["n"]) == {6}
    for variant in VARIANTS:
        # Right-branching: 1 -> 2 of the first sentence; 1, 2, 3 of the second; the root is never right.
        assert table.loc[("right_branching", variant), "uas"] == pytest.approx(4 / 6)
        assert math.isnan(table.loc[("right_branching", variant), "control_uas"])
    assert table["control_uas"].isna().sum() == table["selectivity_low"].isna().sum() == 2
    assert table.loc[("attention", "described")].tolist() == table.loc[("attention", "released")].tolist()


def test_same_seed_same_table_and_threads_are_left_alone(vectors):
    train, dev = treebank(7, 20), treebank(8, 10)
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    tables = [table_of(train, dev, train[1], dev[1], vectors, seed) for seed in (0, 0, 1)]
    assert tables[0].equals(tables[1])
    assert not tables[0].equals(tables[2])
    assert torch.get_num_threads() == 2
    torch.set_num_threads(threads)


def test_training_side_by_side_is_training_each_alone(vectors):
    """One probe at a time, from all pairs of word vectors, by autograd and the textbook's Adam in float64."""
    trees, sequences = treebank(9, 25)
    behaviours = control_behaviours(trees, 0)
    module = AttentionWordProbes(MAPS, DIMENSIONS, torch.Generator().manual_seed(0))
    initial = {name: p.detach().double().clone() for name, p in module.named_parameters()}
    inputs = list(probe_inputs(trees, sequences, vectors, behaviours, CPU))
    train_and_count({"together": module, "beside": AttentionProbes(MAPS, torch.Generator())}, inputs, inputs[:1], CPU)
    for place, (variant, task) in enumerate((v, t) for v in range(2) for t in range(2)):
        kernel = torch.cat([initial["dependent"][place], initial["candidate"][place].roll(MAPS // 2, -1)])
        parameters = [kernel, initial["bias"][place].roll(MAPS // 2, -1), initial["root"][place].clone()]
        moments = [[torch.zeros_like(p), torch.zeros_like(p)] for p in parameters]
        for step, sentence in enumerate(inputs, start=1):
            leaves = [p.clone().requires_grad_() for p in parameters]
            loss = materialised_loss(sentence, variant, sentence.heads[task], *leaves)
            for i, gradient in enumerate(torch.autograd.grad(loss, leaves)):
                moments[i] = [0.9 * moments[i][0] + 0.1 * gradient, 0.999 * moments[i][1] + 0.001 * gradient**2]
                mean, square = moments[i][0] / (1 - 0.9**step), moments[i][1] / (1 - 0.999**step)
                parameters[i] = parameters[i] - 0.002 * mean / (square.sqrt() + 1e-8)
        found = [module.dependent[place], module.candidate[place].roll(MAPS // 2, -1)]
        close(numpy64(torch.cat(found)), parameters[0].numpy())
        close(numpy64(module.bias[place].roll(MAPS // 2, -1)), parameters[1].numpy())
        close(numpy64(module.root[place]), parameters[2].numpy())


def materialised_loss(sentence, variant, heads, kernel, bias, root):
    """The released computation: the weights of all pairs of words, times their attention."""
    m = len(sentence.vectors)
    maps = sentence.maps.double().transpose(1, 2)  # [n, n, map]
    of_root = root[0] * maps[1:-1, :1] + root[1] * maps[1:-1, -1:]
    features = torch.cat([of_root, maps[1:-1, 1:-1]], dim=1)
    dependents = sentence.vectors.double()[:, None].expand(m, m + 1, -1)
    candidates = sentence.candidate_vectors[variant].double().expand(m, m + 1, -1)
    pairs = torch.cat([dependents, candidates], dim=-1) * sentence.has_words[variant].double()[:, None]
    scores = ((pairs @ kernel + bias) * features).sum(-1)
    return torch.nn.functional.cross_entropy(scores, heads, reduction="sum")
