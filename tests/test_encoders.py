"""Encoders of every kind: attention and value norms against the definitions, and what is refused."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from bert_attention.checks import InputError
from bert_attention.encoders import NORMS, check_fits, choose_device, load_encoder, run, value_norms
from bert_attention.wordpieces import EncodedSequence
from tests.models import CONFIGURATIONS, random_encoder, random_model, save_bert


def batch(lengths, seed=0, pad_id=1):
    """Random token ids, zero segment ids and the mask of a padded batch."""
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(5, 90, (len(lengths), max(lengths)), generator=generator)
    mask = (torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]).long()
    return torch.where(mask.bool(), ids, pad_id), torch.zeros_like(ids), mask


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_attention_has_a_distribution_per_token(kind):
    encoder = random_encoder(kind)
    maps = run(encoder, *batch([9, 9]))
    assert len(maps.attention) == encoder.layers == 3
    assert all(layer.shape == (2, 4, 9, 9) for layer in maps.attention)
    torch.testing.assert_close(torch.stack(maps.attention).sum(-1), torch.ones(3, 2, 4, 9))


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_value_norms_are_those_of_parts_that_add_up_to_the_modules_output(kind):
    """Kobayashi et al. 2020, equation 3: sum over heads and tokens of alpha f(x), plus b^O, is the module's output."""
    encoder = random_encoder(kind)
    recorded = []
    for projections in encoder.projections:
        projections.value.register_forward_hook(lambda _m, _i, values: recorded.append([values.double()]))
        projections.output.register_forward_hook(lambda _m, _i, output: recorded[-1].append(output.double()))
    maps = run(encoder, *batch([7]), ["value_norms"])
    projections = encoder.projections * (encoder.layers // len(encoder.projections))  # ALBERT's layers share theirs
    assert len(recorded) == len(projections) == 3
    for layer, ((values, output), parts_of) in enumerate(zip(recorded, projections, strict=True)):
        weight = parts_of.output.weight.detach().double()  # [width, head * d_head]
        size = weight.shape[1] // encoder.heads
        summed = parts_of.output.bias.detach().double().expand(7, -1).clone()
        for head in range(encoder.heads):
            block = slice(head * size, (head + 1) * size)
            transformed = values[0, :, block] @ weight[:, block].T  # f_h(x_j): [token, width]
            summed += maps.attention[layer][0, head].double() @ transformed
            torch.testing.assert_close(
                maps.norms["value_norms"][0, layer, head].double(), transformed.norm(dim=-1), rtol=1e-5, atol=1e-6
            )
        torch.testing.assert_close(summed, output[0], rtol=1e-5, atol=1e-5)


def test_value_norms_of_a_two_dimensional_example():
    """One head, W = diag(3, 4): ||(1, 0) W|| = 3, ||(0, 1) W|| = 4, ||(1, 1) W|| = 5."""
    values = torch.tensor([[[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]])
    factors = torch.diag(torch.tensor([3.0, 4.0]))[None]
    assert value_norms(values, factors).tolist() == [[[3.0, 4.0, 5.0]]]


@pytest.mark.parametrize("kind", CONFIGURATIONS)
def test_padding_and_company_change_nothing(kind):
    encoder = random_encoder(kind)
    ids, segments, mask = batch([11, 6])
    together = run(encoder, ids, segments, mask, NORMS)
    alone = run(encoder, ids[1:, :6], segments[1:, :6], mask[1:, :6], NORMS)
    for one, other in zip(alone.attention, together.attention, strict=True):
        torch.testing.assert_close(one[0], other[1, :, :6, :6], rtol=1e-5, atol=1e-6)
    for name, values in together.norms.items():
        cropped = values[1, :, :6, :6] if name == "summed_norms" else values[1, ..., :6]
        torch.testing.assert_close(alone.norms[name][0], cropped, rtol=1e-4, atol=1e-5)


def test_hooks_are_removed():
    encoder = random_encoder("bert")
    run(encoder, *batch([3]), NORMS)
    assert not any(projections.value._forward_hooks for projections in encoder.projections)


def test_the_embedded_encoder_has_six_layers_of_twelve_heads(embedded_model):
    encoder = load_encoder(embedded_model, "cpu")
    assert (encoder.layers, encoder.heads, encoder.longest_input) == (6, 12, 512)
    assert not encoder.model.training


@pytest.mark.parametrize(
    ("kind", "changes"),
    [("gpt2", {"n_layer": 1, "n_head": 2, "n_embd": 8}), ("bert", {"is_decoder": True}), ("fnet", {"hidden_size": 8})],
)
def test_a_model_that_cannot_work_is_refused(tmp_path, kind, changes):
    random_model(kind, **changes).save_pretrained(tmp_path)
    with pytest.raises(InputError, match="choose an encoder of the BERT family"):
        load_encoder(tmp_path)


def test_damaged_or_missing_weights_are_refused(tmp_path, embedded_model):
    folder = save_bert(tmp_path / "model", embedded_model)
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match="cannot be loaded"):
        load_encoder(folder)
    weights.unlink()
    with pytest.raises(InputError, match="cannot be loaded"):
        load_encoder(folder)


def test_weights_that_lack_a_layer_are_refused(tmp_path, embedded_model):
    folder = save_bert(tmp_path / "model", embedded_model)
    state = random_model("bert", vocab_size=30522).state_dict()
    kept = {name: value for name, value in state.items() if "layer.2." not in name}
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(InputError, match=r"lack .*encoder\.layer\.2\."):
        load_encoder(folder)


def sequence(n):
    return EncodedSequence(*(np.zeros(n, dtype=np.int32) for _ in range(3)))


def test_too_long_a_sequence_is_refused_before_the_run():
    encoder = random_encoder("roberta")
    assert encoder.longest_input == 64  # 66 positions, of which the padding id's and those before are not used
    check_fits(encoder, [sequence(64)], "zeros")
    with pytest.raises(InputError, match="takes 64 tokens at most, the corpus has sequences of 65"):
        check_fits(encoder, [sequence(3), sequence(65)], "zeros")
    run(encoder, *batch([64]))


def test_pairs_are_refused_where_the_model_knows_one_segment():
    check_fits(random_encoder("bert"), [sequence(3)], "pair")
    for kind in ("roberta", "distilbert"):
        with pytest.raises(InputError, match="does not tell segments apart"):
            check_fits(random_encoder(kind), [sequence(3)], "pair")


def test_segment_ids_reach_the_model():
    encoder = random_encoder("bert")
    ids, segments, mask = batch([8])
    segments[0, 4:] = 1
    zeros, pair = run(encoder, ids, torch.zeros_like(segments), mask), run(encoder, ids, segments, mask)
    assert (zeros.attention[0] - pair.attention[0]).abs().max() > 1e-3


def test_devices():
    assert choose_device("cpu").type == "cpu"
    if torch.cuda.is_available():
        assert choose_device("auto").type == choose_device("cuda").type == "cuda"
    else:
        assert choose_device("auto").type == "cpu"
        with pytest.raises(InputError, match="no usable GPU"):
            choose_device("cuda")
