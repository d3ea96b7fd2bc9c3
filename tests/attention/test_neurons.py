import pytest
import torch

from bert_attention.attention.hooks import run
from bert_attention.attention.neurons import positions_removed, run_with_neurons
from bert_attention.errors import InputError
from tests.attention.test_hooks import batch
from tests.models.random_models import CONFIGURATIONS, WITH_NEURONS, random_encoder

LENGTHS = (9, 6)


@pytest.mark.parametrize("kind", WITH_NEURONS)
def test_the_softmax_of_products_of_neurons_is_the_models_attention(kind):
    encoder = random_encoder(kind)
    layers = run_with_neurons(encoder, *batch(LENGTHS))
    maps = run(encoder, *batch(LENGTHS)).attention
    for layer, attention in zip(layers, maps, strict=True):
        assert layer.queries.shape == layer.keys.shape == (2, 4, 9, 8)
        torch.testing.assert_close(layer.attention, attention)
        for row, n in enumerate(LENGTHS):
            for query in range(n):
                products = layer.queries[row, :, None, query].double() * layer.keys[row, :, :n].double()
                scores = products.sum(-1) / 8**0.5
                scores += 0 if layer.bias is None else layer.bias[:, query, :n]
                expected = torch.softmax(scores, -1)
                assert (attention[row, :, query, :n].double() - expected).abs().max() < 1e-5
                torch.testing.assert_close(layer.scores[row, :, query, :n].double(), scores, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", WITH_NEURONS)
def test_without_positions_the_order_of_tokens_does_not_matter(kind):
    encoder = random_encoder(kind)
    ids = torch.arange(10, 17)[None]
    order = torch.tensor([3, 0, 6, 2, 5, 1, 4])
    same = torch.zeros_like(ids), torch.ones_like(ids)

    def difference():
        straight, permuted = (run_with_neurons(encoder, some, *same)[-1].attention for some in (ids, ids[:, order]))
        return (straight[:, :, order][..., order] - permuted).abs().max()

    assert difference() > 1e-3
    with positions_removed(encoder.model):
        assert difference() < 1e-6
    assert difference() > 1e-3


@pytest.mark.parametrize("kind", [kind for kind in CONFIGURATIONS if kind not in WITH_NEURONS])
def test_scores_that_are_not_products_of_neurons_are_an_error(kind):
    encoder = random_encoder(kind)
    with pytest.raises(InputError, match=r"has no neurons: (its scores also compare|it rotates queries and keys)"):
        run_with_neurons(encoder, *batch(LENGTHS))
