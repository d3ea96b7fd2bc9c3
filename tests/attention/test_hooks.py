"""One forward pass of encoders of every kind."""

import pytest
import torch

from bert_attention.attention.hooks import NORMS, HookedEncoder, run
from bert_attention.errors import InputError
from bert_attention.models.encoders import Encoder
from tests.models.random_models import CONFIGURATIONS, WITH_MIXING, random_encoder, random_model


def batch(lengths, seed=0, pad_id=1):
    """Random token ids, zero segment ids and the mask of a padded batch."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, 90, (len(lengths), max(lengths)), generator=generator)
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    return torch.where(mask.bool(), ids, pad_id), torch.zeros_like(ids), mask


@pytest.mark.parametrize("kind", [kind for kind in CONFIGURATIONS if kind not in WITH_MIXING])
def test_mixing_is_refused_where_no_layer_norm_follows_attention(kind):
    encoder = random_encoder(kind)
    assert "mixing" not in encoder.norms
    assert not any(module.layer_norm for module in encoder.projections)
    with pytest.raises(InputError, match="has no mixing: its layer norm comes before attention"):
        run(encoder, *batch([7]), ["mixing"])


def test_local_layers_of_modernbert_have_whole_maps():
    """Tokens attend to four tokens on either side in the second of three layers, and to all tokens in the others."""
    maps = run(random_encoder("modernbert"), *batch([20])).attention
    far = (torch.arange(20)[:, None] - torch.arange(20)).abs() > 4
    for layer, sees_all in enumerate((True, False, True)):
        seen = maps[layer][0][:, far]
        assert (seen > 0).all() if sees_all else (seen == 0).all()
        torch.testing.assert_close(maps[layer].sum(-1), torch.ones(1, 4, 20))


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_maps_do_not_depend_on_padding_and_other_sequences(kind):
    encoder = random_encoder(kind)
    ids, segments, mask = batch([11, 6])
    together = run(encoder, ids, segments, mask, encoder.norms)
    alone = run(encoder, ids[1:, :6], segments[1:, :6], mask[1:, :6], encoder.norms)
    for one, other in zip(alone.attention, together.attention, strict=True):
        torch.testing.assert_close(one[0], other[1, :, :6, :6], rtol=1e-5, atol=1e-6)
    for name, values in together.norms.items():
        cropped = values[1, :, :6, :6] if name == "summed_norms" else values[1, ..., :6]
        torch.testing.assert_close(alone.norms[name][0], cropped, rtol=1e-4, atol=1e-5)


def test_hooks_are_removed_after_an_input_of_the_maximum_length():
    encoder = random_encoder("roberta")
    run(encoder, *batch([encoder.max_length]), NORMS)
    assert not any(projections.value.module._forward_hooks for projections in encoder.projections)


def test_segment_ids_reach_the_model():
    encoder = random_encoder("bert")
    ids, segments, mask = batch([8])
    zeros, ones = (run(encoder, ids, segments + fill, mask).attention[0] for fill in (0, 1))
    assert (zeros - ones).abs().max() > 1e-3


@pytest.mark.parametrize(
    ("kind", "changes"), [("gpt2", {"n_layer": 1, "n_head": 2, "n_embd": 8}), ("fnet", {"hidden_size": 8})]
)
def test_an_unsupported_kind_of_attention_is_refused(kind, changes):
    model = random_model(kind, **changes)
    with pytest.raises(InputError, match=r"the self-attention of model type (gpt2|fnet) is not supported"):
        HookedEncoder.of(Encoder(model, torch.device("cpu")))
