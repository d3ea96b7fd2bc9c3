"""Cross-attention and its norms against the definitions, on random models of every kind."""

import numpy as np
import pytest
import torch

from bert_attention.attention.cross_attention import cross_attention
from bert_attention.errors import InputError
from bert_attention.models.translation import TranslationModel
from bert_attention.models.translation_input import encode_pairs, teacher_forcing_batch
from bert_attention.models.translation_training import train_subwords
from tests.models.random_models import random_translation_model

PAIRS = [
    (["der", "hund", "sieht", "den", "ball"], ["the", "dog", "sees", "the", "ball"]),
    (["hund"], ["a", "dog"]),
    (["das", "haus", "ist", "alt", "und", "neu"], ["old"]),
]
HEADS, WIDTH = 4, 16


def random_model(kind):
    tokenizer = train_subwords((" ".join(words) for pair in PAIRS for words in pair), 40)
    return TranslationModel(random_translation_model(kind, tokenizer), tokenizer)


def definition(translation, pair):
    """Norms of one pair from equation 3, by loops in float64, and their check: outputs, and sums of parts and b^O.

    Norms are ||alpha f_h(x_j)|| ``[layer, head, target, source]`` and ||sum_h alpha f_h(x_j)||.
    """
    modules = [layer.encoder_attn for layer in translation.model.get_decoder().layers]
    inputs, outputs = [], []
    hooks = [m.v_proj.register_forward_hook(lambda _m, args, _out: inputs.append(args[0].detach())) for m in modules]
    hooks += [m.out_proj.register_forward_hook(lambda _m, _given, out: outputs.append(out.detach())) for m in modules]
    with torch.inference_mode():
        batch = teacher_forcing_batch([pair], translation)
        attention = translation.model(**batch.inputs, output_attentions=True).cross_attentions
    for hook in hooks:
        hook.remove()
    size = WIDTH // HEADS
    head_norms, norms_of_sums, sums = [], [], []
    for weights, module, layer_inputs in zip(attention, modules, inputs, strict=True):
        x = layer_inputs.reshape(-1, WIDTH).double().numpy()
        w_v, b_v = module.v_proj.weight.detach().double().numpy(), module.v_proj.bias.detach().double().numpy()
        w_o = module.out_proj.weight.detach().double().numpy()
        alpha = weights[0].double().numpy()
        parts = np.zeros((*alpha.shape, WIDTH))
        for head, query, key in np.ndindex(alpha.shape):
            block = slice(head * size, (head + 1) * size)
            value = w_v[block] @ x[key] + b_v[block]
            parts[head, query, key] = alpha[head, query, key] * (w_o[:, block] @ value)
        head_norms.append(np.linalg.norm(parts, axis=-1))
        norms_of_sums.append(np.linalg.norm(parts.sum(0), axis=-1))
        sums.append(parts.sum((0, 2)) + module.out_proj.bias.detach().double().numpy())
    return np.stack(head_norms), np.stack(norms_of_sums), [out.reshape(-1, WIDTH).numpy() for out in outputs], sums


@pytest.mark.parametrize("kind", ["marian", "mbart", "fsmt"])
def test_maps_equal_the_definition(kind):
    translation = random_model(kind)
    encoded = encode_pairs(translation, PAIRS)
    for pair, maps in zip(encoded, cross_attention(translation, encoded, batch_size=2), strict=True):
        head_norms, norms_of_sums, outputs, sums = definition(translation, pair)
        np.testing.assert_allclose(sums, outputs, atol=1e-5)  # checks the definition
        np.testing.assert_allclose(maps.attention.sum(-1), 1, atol=1e-5)
        np.testing.assert_allclose(maps.attention * maps.value_norms[:, :, None], head_norms, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(maps.summed_norms, norms_of_sums, rtol=1e-4, atol=1e-5)
        assert maps.summed_norms.mean() < 0.9 * head_norms.sum(1).mean()  # heads differ in direction
        assert {maps.attention.dtype, maps.value_norms.dtype, maps.summed_norms.dtype} == {np.dtype(np.float32)}


def test_pairs_are_run_batch_by_batch_with_their_words_and_tokens():
    translation = random_model("marian")
    encoded = encode_pairs(translation, PAIRS)
    run = []
    stream = cross_attention(translation, encoded, 1, lambda starts: (run.append(start) or start for start in starts))
    first = next(stream)
    assert run == [0]
    assert first.attention.base is None  # the maps are copies, so the batch can be freed
    modules = translation.model.named_modules()
    assert not [name for name, module in modules if "v_proj" in name and module._forward_hooks]
    for pair, maps, (source, _) in zip(encoded, [first, *stream], PAIRS, strict=True):
        assert maps.source_words.tolist() == pair.source_words.tolist()
        assert maps.target_words.tolist() == pair.target_words.tolist()
        assert maps.source_tokens[-1] == "</s>"
        assert "".join(maps.source_tokens[:-1]).replace("▁", " ").split() == source


def test_an_unsupported_kind_of_cross_attention_is_an_error():
    translation = random_model("t5")
    with pytest.raises(InputError, match=r"the cross-attention of model type t5 is not supported\n  Remedy: choose"):
        next(cross_attention(translation, encode_pairs(translation, PAIRS)))
