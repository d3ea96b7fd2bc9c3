"""The page from Python: of arrays, tensors and texts, in notebooks and files."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from transformers import AutoTokenizer

from bert_attention.errors import InputError
from bert_attention.explorer.own_text import show_text
from bert_attention.explorer.page import findings_in
from bert_attention.explorer.show import show
from tests.models.random_models import random_model

TOKENS = ["<s>", "Ġa", "b", "</s>"]
MAPS = np.full((2, 3, 4, 4), 0.25)


def test_a_tensor_a_tuple_of_layers_and_an_array_give_the_same_page():
    layers = tuple(torch.full((1, 3, 4, 4), 0.25, dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
    pages = {show(attention, TOKENS).html for attention in (MAPS, torch.tensor(MAPS), layers)}
    assert len(pages) == 1
    (html,) = pages
    assert '"special":[1,0,0,1]' in html
    assert '"tokens":["\\u003cs\\u003e","a","b",' in html


def test_a_notebook_gets_the_whole_page_in_a_frame_and_a_file_the_same(tmp_path):
    page = show(MAPS, TOKENS, model='"m" & <i>', neurons=(np.ones((2, 3, 4, 5)),) * 2)
    frames = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attributes: frames.append((tag, dict(attributes)))
    parser.feed(page._repr_html_())
    ((tag, attributes),) = frames
    assert (tag, attributes["srcdoc"]) == ("iframe", page.html)
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html
    assert findings_in(tmp_path / "page.html")[0] == '"m" & <i>'
    assert '"neuron_count":5' in page.html


def test_a_text_has_all_that_its_encoder_has(embedded_model):
    html = show_text(embedded_model, "A cat.", "It slept.", device="cpu", model="mine").html
    for part in ('"model":"mine"', '"summed_scales"', '"neurons"', '"part_of":[0,0,0,0,0,1,1,1,1]'):
        assert part in html


def test_two_models_of_one_size_are_on_one_page(embedded_model, tmp_path):
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    for name, layers in (("one", 2), ("two", 2), ("larger", 3)):
        if name != "two":  # as the workflow's fine-tuned models, it has the first one's
            tokenizer.save_pretrained(tmp_path / name)
        random_model("bert", vocab_size=len(tokenizer), num_hidden_layers=layers).save_pretrained(tmp_path / name)
    html = show_text(tmp_path / "one", "A cat.", beside=tmp_path / "two", device="cpu").html
    assert re.findall('"model":"([^"]*)"', html) == ["one", "one", "two"]
    with pytest.raises(InputError, match=r"has 3 layers of . heads, .*one 2 of"):
        show_text(tmp_path / "one", "A cat.", beside=tmp_path / "larger", device="cpu")


@pytest.mark.parametrize(
    ("attention", "tokens", "options", "said"),
    [
        (MAPS[0], TOKENS, {}, r"has the shape \(3, 4, 4\)"),
        ([MAPS[0], MAPS[0, :2]], TOKENS, {}, "several shapes"),
        ([], TOKENS, {}, "is not there"),
        (MAPS, TOKENS[:3], {}, "tokens: has 3 entries, but attention has 4 positions"),
        (MAPS[..., :3], TOKENS, {}, "has 3 keys, but there are 4 tokens"),
        (MAPS, TOKENS, {"key_tokens": ["a"]}, "key_tokens: has 1 entries, but attention has 4 positions"),
        (MAPS, TOKENS, {"parts": [0]}, "parts: has 1"),
        (MAPS * np.nan, TOKENS, {}, "no weights"),
        (MAPS * -40, TOKENS, {}, "after the softmax"),
        (MAPS, TOKENS, {"neurons": (np.ones((2, 3, 4)), np.ones((2, 3, 4, 5)))}, "neurons: have the shape"),
    ],
)
def test_what_cannot_be_shown_is_said(attention, tokens, options, said):
    with pytest.raises(InputError, match=said):
        show(attention, tokens, **options)
