"""The page from Python: of arrays, tensors, outputs of models, and texts, in notebooks and files."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer, LongformerConfig, LongformerModel, T5Config, T5Model

from bert_attention.errors import InputError
from bert_attention.explorer.own_text import show_text
from bert_attention.explorer.page import findings_in
from bert_attention.explorer.show import show
from tests.models.random_models import random_model, save_bert

SMALL = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
TOKENS = ["<s>", "Ġa", "b", "</s>"]
MAPS = np.full((2, 3, 4, 4), 0.25)
ONE = np.ones((1, 1, 1, 1))
VECTORS = (np.ones((2, 3, 4, 5)),) * 2
PADDED = np.where(np.arange(4)[:, None] == 3, np.nan, MAPS)  # the last token attends to nothing
OVERFLOW = MAPS.copy()
OVERFLOW[1, 2, 0, 3] = np.inf


def test_a_tensor_a_tuple_of_layers_and_an_array_give_the_same_page():
    layers = tuple(torch.full((1, 3, 4, 4), 0.25, dtype=torch.bfloat16, requires_grad=True) for _ in range(2))
    (html,) = {show(attention, TOKENS).html for attention in (MAPS, torch.tensor(MAPS), layers)}
    assert '"special":[1,0,0,1]' in html
    assert '"tokens":["\\u003cs\\u003e","a","b",' in html


@pytest.mark.parametrize("word", ["[UNK]", "[MASK]", "<unk>", "<mask>", "<UNK>"])
def test_an_unknown_or_masked_word_is_no_special_token(word):
    first, last = ("[CLS]", "[SEP]") if word.startswith("[") else ("<s>", "</s>")
    html = show(MAPS, [first, word, "b", last]).html
    assert '"special":[1,0,0,1],"part_of":[0,0,0,0]' in html


def test_show_takes_the_outputs_of_transformers(embedded_model, tmp_path):
    folder = save_bert(tmp_path, embedded_model)
    encoded = AutoTokenizer.from_pretrained(folder)("The cat sat.", return_tensors="pt")
    with torch.no_grad():
        eager, sdpa = (
            AutoModel.from_pretrained(folder, attn_implementation=kind).eval()(**encoded, output_attentions=True)
            for kind in ("eager", "sdpa")
        )
    assert show(eager, encoded).html == show(eager.attentions, encoded.tokens()).html
    for attention in (sdpa, sdpa.attentions):
        with pytest.raises(InputError, match=r"attention: is missing.*\n.*attn_implementation='eager'"):
            show(attention, encoded)
    config = T5Config(d_model=8, d_kv=4, d_ff=8, num_layers=1, num_heads=2, vocab_size=9, decoder_start_token_id=0)
    model = T5Model._from_config(config, attn_implementation="eager")
    outputs = model(torch.tensor([[1]]), decoder_input_ids=torch.tensor([[1]]), output_attentions=True)
    with pytest.raises(InputError, match=r"give outputs.decoder_attentions or outputs.cross_attentions"):
        show(outputs, ["a"])


@pytest.mark.parametrize("attends_globally", [0, 1])
def test_sparse_attention_is_an_error_that_names_it(attends_globally):
    ids = torch.arange(2, 9)[None]
    config = LongformerConfig(attention_window=4, vocab_size=20, max_position_embeddings=40, **SMALL)
    outputs = LongformerModel(config)(ids, global_attention_mask=(ids == 2) * attends_globally, output_attentions=True)
    tokens = [str(number) for number in range(7)]
    with pytest.raises(InputError, match=r"attention: is sparse: .*\n.*choose a model with full attention"):
        show(outputs, tokens)
    with pytest.raises(
        InputError, match=r"has \d keys, but 7 queries\n.*is sparse, .*choose a model with full attention"
    ):
        show(outputs.attentions, tokens)


def test_a_notebook_gets_the_page_in_a_frame_and_a_file_gets_the_same_page(tmp_path):
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


def test_a_text_and_two_models_of_one_size(embedded_model, tmp_path):
    html = show_text(embedded_model, "A cat.", "It slept.", device="cpu", model="mine").html
    for part in ('"model":"mine"', '"summed_scales"', '"neurons"', '"part_of":[0,0,0,0,0,1,1,1,1]'):
        assert part in html
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    for name, layers in (("one", 2), ("two", 2), ("larger", 3)):
        if name != "two":  # like the workflow's fine-tuned models, it uses the tokenizer of the first model
            tokenizer.save_pretrained(tmp_path / name)
        random_model("bert", vocab_size=len(tokenizer), num_hidden_layers=layers).save_pretrained(tmp_path / name)
    html = show_text(tmp_path / "one", "A cat.", beside=tmp_path / "two", device="cpu").html
    assert re.findall('"model":"([^"]*)"', html) == ["one", "one", "two"]
    with pytest.raises(InputError, match=r"larger: has 3 layers of . heads, but .*one has 2 layers"):
        show_text(tmp_path / "one", "A cat.", beside=tmp_path / "larger", device="cpu")


@pytest.fixture
def pair_of_models(embedded_model, tmp_path):
    """A function that saves a model with a tokenizer and a second model with some embeddings, but no tokenizer."""

    def saved(added):
        tokenizer = AutoTokenizer.from_pretrained(embedded_model)
        tokenizer.save_pretrained(tmp_path / "one")
        for name, size in (("one", len(tokenizer)), ("two", len(tokenizer) + added)):
            random_model("bert", vocab_size=size).save_pretrained(tmp_path / name)
        return tmp_path / "one", tmp_path / "two"

    return saved


def test_a_second_model_with_fewer_embeddings_than_tokens_is_an_error(pair_of_models):
    first, second = pair_of_models(-1000)
    problem = r"two with the tokenizer of the first model: has 29522 embeddings, but its tokenizer has 1000 tokens more"
    with pytest.raises(InputError, match=problem):
        show_text(first, "A cat.", beside=second, device="cpu")


@pytest.mark.parametrize("name", ["vocab.txt", "vocab.json", "spiece.model"])
def test_a_second_model_with_a_vocabulary_in_another_form_is_an_error(pair_of_models, name):
    first, second = pair_of_models(0)
    (second / name).write_text("a\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"two: lacks tokenizer.json\n.*convert the model with this Python"):
        show_text(first, "A cat.", beside=second, device="cpu")


@pytest.mark.parametrize(
    ("attention", "tokens", "options", "problem"),
    [
        (MAPS[0], TOKENS, {}, r"has the shape \(3, 4, 4\)"),
        (np.ones((1, 1, 0, 0)), [], {}, "attention: has the shape"),
        ([MAPS[0], MAPS[0, :2]], TOKENS, {}, "different shapes"),
        ([], TOKENS, {}, "attention: is missing"),
        (None, ["a"], {}, "attention: is missing"),
        (7, ["a"], {}, "attention: is a int"),
        ([["x"]], ["a"], {}, "attention: is a list without numbers"),
        (ONE, [101], {}, r"tokens: are not strings: \[101\]\n.*convert_ids_to_tokens"),
        (ONE, None, {}, "tokens: are not strings"),
        (ONE, "a", {}, "tokens: are a single string: a"),
        (MAPS, TOKENS[:3], {}, "tokens: has 3 entries, but attention has 4 positions"),
        (MAPS[..., :3], TOKENS, {}, "has 3 keys, but 4 queries\n.*give key_tokens; if the model's attention is sparse"),
        (MAPS, TOKENS, {"key_tokens": ["a"]}, "key_tokens: has 1 entries, but attention has 4 positions"),
        (MAPS, TOKENS, {"parts": [0]}, "parts: has 1"),
        (MAPS, TOKENS, {"special": "<s>"}, "special='<s>': is a single string"),
        (MAPS * np.nan, TOKENS, {}, "NaN or infinite values in 24 of 24 rows, the first in layer 1,.*\n.*in float32"),
        (PADDED, TOKENS, {}, "in 6 of 24 rows, the first in layer 1, head 1, query 4\n.*run the input without padding"),
        (OVERFLOW, TOKENS, {}, "in 1 of 24 rows, the first in layer 2, head 3, query 1\n"),
        (MAPS * -40, TOKENS, {}, "after the softmax"),
        (MAPS, TOKENS, {"neurons": (np.ones((2, 3, 4)), np.ones((2, 3, 4, 5)))}, "neurons: have the shape"),
        (MAPS, TOKENS, {"neurons": (*VECTORS, np.ones((4, 4)))}, r"neurons: have the shapes .* and \(4, 4\)"),
        (MAPS, TOKENS, {"neurons": (VECTORS[0] * np.nan, VECTORS[1])}, "neurons: have NaN or infinite values"),
        (MAPS, TOKENS, {"neurons": (VECTORS[0], VECTORS[1] * np.inf)}, "neurons: have NaN or infinite values"),
    ],
)
def test_invalid_input(attention, tokens, options, problem):
    with pytest.raises(InputError, match=problem):
        show(attention, tokens, **options)
