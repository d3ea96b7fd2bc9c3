"""The analyses on real attention, through the store, against the formulas on the modules of the model in float64."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy.stats import spearmanr

from bert_attention.attention.extraction import extract
from bert_attention.attention.hooks import HookedEncoder
from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.attention.store import AttentionStore, shard_writer
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.kobayashi.categories import categories
from bert_attention.kobayashi.column_values import CATEGORIES
from bert_attention.kobayashi.dispersion import VECTORS, dispersion
from bert_attention.kobayashi.frequency import MEASURES, frequency
from bert_attention.kobayashi.mixing import mixing
from bert_attention.models.encoders import load_encoder
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.wordpieces import load_tokenizer, token_categories
from tests.attention.test_extraction import METADATA

# Lincoln, Gettysburg, 1863.
TEXT = (
    ("Four score and seven years ago our fathers brought forth a new nation.", "It was conceived in liberty."),
    ("Now we are engaged in a great civil war, testing whether that nation can long endure.", "We are met."),
    ("The world will little note, nor long remember what we say here,", "but it can never forget what they did."),
)
MASKED = 5  # this place of every sequence
TOLERANCE = {"rel": 1e-3, "abs": 1e-6}


@pytest.fixture(scope="module")
def tokenizer(embedded_model):
    return load_tokenizer(embedded_model)


@pytest.fixture(scope="module")
def kinds(tokenizer):
    return token_categories(tokenizer)


@pytest.fixture(scope="module")
def inputs(tokenizer):
    """Token ids of each sequence, by text."""
    whole = [tokenizer.backend.encode(first, second).ids for first, second in TEXT]
    masked = [[tokenizer.mask_token_id if j == MASKED else token for j, token in enumerate(ids)] for ids in whole]
    return {"whole": whole, "masked": masked}


@pytest.fixture(scope="module")
def stores(embedded_model, tokenizer, kinds, inputs, tmp_path_factory):
    """What the workflow extracts."""
    encoder = HookedEncoder.of(load_encoder(embedded_model, "cpu"))
    sizes = {"layers": encoder.layers, "heads": encoder.heads, "sequences": len(TEXT), "last": len(TEXT)}
    metadata = replace(METADATA, categories=kinds, **sizes)
    found = {}
    for text, token_ids in inputs.items():
        sequences = [
            EncodedSequence(*(np.array(ids, dtype=np.int32) * scale for scale in (1, 0, 0))) for ids in token_ids
        ]
        path = tmp_path_factory.mktemp("stores") / text
        with shard_writer(path, [len(sequence) for sequence in sequences], metadata) as writer:
            extract(encoder, sequences, writer, 0, 2, tokenizer.pad_token_id)
        found[text] = AttentionStore([path])
    return found


class Layer:
    """One attention module in one sequence, from what its parts took in and gave out; all in float64.

    Attributes
    ----------
    attention
        ``[head, query, key]``.
    inputs
        ``x``, ``[token, d]``.
    transformed
        ``f_h(x_j)``, ``[head, token, d]``.
    scale
        Gamma of the layer norm, ``[d]``.
    """

    def __init__(self, module, attention, inputs, values):
        self.attention, self.inputs = attention, inputs
        self.scale = module.output.LayerNorm.weight.detach().numpy()
        output, heads = module.output.dense.weight.detach().numpy(), len(attention)
        size = values.shape[1] // heads
        self.transformed = np.stack(
            [
                values[:, head * size : (head + 1) * size] @ output[:, head * size : (head + 1) * size].T
                for head in range(heads)
            ]
        )

    def part(self, head, i, j):
        """``alpha f_h(x_j)``."""
        return self.attention[head, i, j] * self.transformed[head, j]

    def part_of_all(self, i, j):
        """``sum_h alpha f_h(x_j)``."""
        return sum(self.part(head, i, j) for head in range(len(self.attention)))


def run_in_float64(model, token_ids):
    """The layers of one forward pass over one sequence; the parts must add up to what the modules gave."""
    seen = {"value": [], "dense": []}
    modules = [layer.attention for layer in model.encoder.layer]
    hooks = [
        part.register_forward_hook(lambda _, taken, given, kind=kind: seen[kind].append((taken[0][0], given[0])))
        for module in modules
        for kind, part in (("value", module.self.value), ("dense", module.output.dense))
    ]
    with torch.inference_mode():
        maps = model(torch.tensor([token_ids]), output_attentions=True).attentions
    for hook in hooks:
        hook.remove()
    layers = []
    for module, attention, (x, values), (_, output) in zip(modules, maps, seen["value"], seen["dense"], strict=True):
        layer = Layer(module, attention[0].numpy(), x.numpy(), values.numpy())
        whole = np.einsum("hij,hjd->id", layer.attention, layer.transformed) + module.output.dense.bias.detach().numpy()
        np.testing.assert_allclose(whole, output.numpy(), atol=1e-12)
        layers.append(layer)
    return layers


@pytest.fixture(scope="module")
def layers(embedded_model, inputs):
    """By text and sequence, the layers of a forward pass that is the stores' in all but precision."""
    model = load_encoder(embedded_model, "cpu").model.double()
    return {text: [run_in_float64(model, ids) for ids in token_ids] for text, token_ids in inputs.items()}


@pytest.fixture(scope="module")
def members(inputs, kinds):
    """The places of each category's tokens in each sequence of the whole text."""
    ids_of = {"cls": {kinds.cls}, "sep": {kinds.sep}, "punctuation": set(kinds.punctuation)}
    named = set().union(*ids_of.values())
    return [
        {name: [j for j, token in enumerate(ids) if token in of] for name, of in ids_of.items()}
        | {"other": [j for j, token in enumerate(ids) if token not in named]}
        for ids in inputs["whole"]
    ]


def length(vector):
    return float(np.sqrt(np.sum(vector * vector)))


def received(layer):
    """What an average token takes from each token: by head, [head, token], and through all heads together, [token]."""
    heads, n, _ = layer.attention.shape
    found = {"weight": np.zeros((heads, n)), "norm": np.zeros((heads, n))}
    found |= {"norm_of_sum": np.zeros(n), "projection_of_sum": np.zeros(n)}
    for i in range(n):
        y = sum(layer.part_of_all(i, j) for j in range(n))
        for j in range(n):
            together = layer.part_of_all(i, j)
            found["norm_of_sum"][j] += length(together) / n
            found["projection_of_sum"][j] += together @ y / length(y) / n
            for head in range(heads):
                found["weight"][head, j] += layer.attention[head, i, j] / n
                found["norm"][head, j] += length(layer.part(head, i, j)) / n
    return found


def test_categories(stores, layers, members):
    table = categories(stores["whole"]).fillna({"head": 0})
    by_head = table.set_index(["measure", "category", "layer", "head"])["value"].sort_index()
    for number, of_layer in enumerate(zip(*layers["whole"], strict=True), start=1):
        by_sequence = [received(layer) for layer in of_layer]
        for measure, category in itertools.product(by_sequence[0], CATEGORIES):
            sums = [
                from_tokens[measure][..., places[category]].sum(-1)
                for from_tokens, places in zip(by_sequence, members, strict=True)
            ]
            expected, found = np.mean(sums, axis=0), by_head[measure, category, number]
            assert found[0] == pytest.approx(expected.mean(), **TOLERANCE)
            if not measure.endswith("_of_sum"):
                assert found.loc[1:].to_numpy() == pytest.approx(expected, **TOLERANCE)


def test_dispersion(stores, layers):
    lists = {}
    for of_sequence in layers["whole"]:
        for place, layer in enumerate(of_sequence, start=1):
            heads, n, _ = layer.attention.shape
            lists.setdefault(("input", place, 0), []).extend(length(x) for x in layer.inputs)
            for head, j in itertools.product(range(heads), range(n)):
                norm, weights = length(layer.transformed[head, j]), layer.attention[head, :, j]
                lists.setdefault(("transformed", place, head + 1), []).append(norm)
                lists.setdefault(("weight", place, head + 1), []).extend(weights)
                lists.setdefault(("weighted", place, head + 1), []).extend(weights * norm)
    table = dispersion(stores["whole"]).fillna({"head": 0}).set_index(["vector", "layer", "head"])
    for key, values in lists.items():
        row = table.loc[key]
        assert row["n"] == len(values)
        expected = {"mean": np.mean(values), "sd": np.std(values), "cv": np.std(values) / np.mean(values)}
        assert row[[*expected]].to_dict() == pytest.approx(expected, **TOLERANCE)
        assert (row["min"], row["max"]) == pytest.approx((min(values), max(values)), **TOLERANCE)
    for vector in VECTORS:
        cvs = [np.std(values) / np.mean(values) for (name, *_), values in lists.items() if name == vector]
        assert table.loc[(vector, 0, 0), "cv"] == pytest.approx(np.mean(cvs), **TOLERANCE)


def mixing_ratios(layer):
    """By method, the mixing ratio of each token: others against itself, both built pair by pair."""
    n, found = len(layer.inputs), {method: [] for method in MIXING_METHODS}
    for i in range(n):
        own_weight = np.mean([layer.attention[head, i, i] for head in range(len(layer.attention))])
        own = layer.part_of_all(i, i)
        others = sum(layer.part_of_all(i, j) for j in range(n) if j != i)
        with_input = own + layer.inputs[i]
        deviation = np.std(others + with_input)  # shared: it cancels
        normed = [layer.scale * (vector - vector.mean()) / deviation for vector in (others, with_input)]
        found["attn_w"].append(1 - own_weight)
        found["attn_res_w"].append((1 - own_weight) / 2)
        for method, pair in (
            ("attn_n", (others, own)),
            ("attn_res_n", (others, with_input)),
            ("attn_res_ln_n", normed),
        ):
            found[method].append(length(pair[0]) / (length(pair[0]) + length(pair[1])))
    return found


@pytest.fixture(scope="module")
def ratios(layers):
    """By text and method, ``[layer, token]`` over all sequences."""
    found = {}
    for text, by_sequence in layers.items():
        by_layer = [[mixing_ratios(layer) for layer in of_sequence] for of_sequence in by_sequence]
        for method in MIXING_METHODS:
            parts = [[of_layer[method] for of_layer in of_sequence] for of_sequence in by_layer]
            found[text, method] = np.concatenate(parts, axis=1)
    return found


@pytest.fixture(scope="module")
def ranks(tokenizer):
    """As if tokens of lower ids were more frequent; all differ."""
    return token_ranks({token: 40_000 - token for token in range(30_000)}, len(tokenizer))


@pytest.fixture(scope="module")
def words(inputs, kinds):
    """Tokens of the whole text, one after the other, and which of them are not special."""
    tokens = np.concatenate(inputs["whole"])
    return tokens, ~np.isin(tokens, [kinds.cls, kinds.sep])


def test_mixing(stores, ratios, ranks, words, inputs):
    tables = mixing(stores["whole"], stores["masked"], ranks)
    rows = {
        name: tables[name].set_index(["text", "method", "layer"])
        for name in ("kobayashi_mixing", "kobayashi_mixing_categories", "kobayashi_mixing_frequency")
    }
    masked = np.concatenate(inputs["masked"]) != words[0]
    for (text, method), by_layer in ratios.items():
        for layer in range(len(by_layer) + 1):
            values = by_layer if layer == 0 else by_layer[layer - 1 : layer]
            row = rows["kobayashi_mixing"].loc[(text, method, layer)]
            expected = {"mixing_ratio": values.mean(), "sd": values.std(), "min": values.min(), "max": values.max()}
            assert row[[*expected]].to_dict() == pytest.approx(expected, **TOLERANCE)
            correlations = rows["kobayashi_mixing_frequency"].loc[(text, method, layer)].set_index("tokens")
            for tokens, some in (("all", slice(None)), ("without_specials", words[1])):
                expected = spearmanr(ranks[words[0]][some], values.mean(0)[some]).statistic
                assert correlations.loc[tokens, "spearman"] == pytest.approx(expected, abs=2e-3)
            if text == "masked":
                kinds = rows["kobayashi_mixing_categories"].loc[(text, method, layer)].set_index("category")
                assert kinds.loc["mask", "mixing_ratio"] == pytest.approx(values[:, masked].mean(), **TOLERANCE)


def test_frequency(stores, layers, ranks, words):
    table = frequency(stores["whole"], ranks)["kobayashi_frequency"].set_index(["measure", "layer", "tokens"])
    values = {measure: [] for measure in MEASURES}
    for of_sequence in layers["whole"]:
        for j in range(len(of_sequence[0].inputs)):
            values["norm"].append([np.mean([length(f[j]) for f in layer.transformed]) for layer in of_sequence])
            values["weight"].append([layer.attention[:, :, j].mean() for layer in of_sequence])
    for measure, of_tokens in values.items():
        by_layer = np.array(of_tokens).T
        for layer, of_layer in enumerate([by_layer.mean(0), *by_layer]):
            for tokens, some in (("all", slice(None)), ("without_specials", words[1])):
                expected = spearmanr(ranks[words[0]][some], of_layer[some]).statistic
                assert table.loc[(measure, layer, tokens), "spearman"] == pytest.approx(expected, abs=2e-3)
