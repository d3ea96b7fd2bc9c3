"""The shortest segments and a user's own texts on the page, by the library and by the command line."""

import json

import numpy as np
import pytest
from safetensors.torch import load_file, save_file
from scipy.special import softmax
from transformers import AutoTokenizer

from bert_attention.explorer.notes import Fact, Finding
from bert_attention.explorer.own_text import neurons_of, show_text, shown_now
from bert_attention.explorer.page import findings_in, packed_findings, page
from bert_attention.explorer.shortest_segments import packed_shortest
from bert_attention.files import sha256
from bert_attention.interface.command import main
from bert_attention.tokenization.sequences import EncodedSequence
from tests.explorer.sequences import TEXTS
from tests.explorer.test_data import inflated
from tests.explorer.test_page import Reader
from tests.models.random_models import random_model, save_encoder, save_roberta


def test_the_shortest_segments_of_a_corpus_come_first_with_their_words(small, small_corpus):
    encoder, tokenizer, _ = small
    contents = packed_shortest(small_corpus, tokenizer, encoder)
    sides = [content["sides"][0] for content in contents]
    lengths = [len(side["tokens"]) for side in sides]
    assert lengths == sorted(lengths)
    assert sides[0]["tokens"] == ["[CLS]", "a", "dog", "barked", ".", "[SEP]"]
    assert sides[0]["special"] == [1, 0, 0, 0, 0, 1]
    cat = next(side for side in sides if "cat" in side["tokens"])
    index = cat["tokens"].index("straw")
    assert cat["tokens"][index + 1] == "##berries"
    assert cat["words"][cat["word_of"][index]] == "strawberries"
    assert cat["word_of"][index] == cat["word_of"][index + 1]
    assert cat["words"].count("[SEP]") == 2
    assert cat["part_of"] == [0] * (cat["tokens"].index("[SEP]") + 1) + [1] * 4  # it slept . [SEP]
    assert all("neurons" in content for content in contents)


def test_a_users_text_has_the_same_values_as_in_a_store(small):
    encoder, tokenizer, store = small
    for stored in store:
        encoded = EncodedSequence(stored.token_ids, stored.segment_ids, stored.word_ids)
        ours = shown_now(encoded, encoder, tokenizer)
        for name in ("attention", "value_norms", "summed_norms"):
            np.testing.assert_allclose(getattr(ours, name), getattr(stored, name), atol=2e-3)
        queries, keys, bias = neurons_of(encoded, encoder, tokenizer)
        assert bias is None
        scores = np.exp(queries @ keys.swapaxes(-1, -2) / queries.shape[-1] ** 0.5)
        np.testing.assert_allclose(scores / scores.sum(-1, keepdims=True), stored.attention, atol=1e-3)


@pytest.mark.parametrize("text", [("A cat sat on the mat.", ""), ("It slept.", "The dog barked all night.")])
def test_the_page_has_the_position_bias_with_which_scores_make_the_weights(text, tmp_path, embedded_model):
    folder = save_encoder(tmp_path / "model", "mpnet", AutoTokenizer.from_pretrained(embedded_model))
    weights = load_file(folder / "model.safetensors")
    weights["encoder.relative_attention_bias.weight"] *= 20
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    (content,) = json.loads(Reader(show_text(folder, *text, device="cpu").html).scripts[0])["sequences"]
    n, size = len(content["sides"][0]["tokens"]), content["neuron_count"]
    codes = np.frombuffer(inflated(content["neurons"]), np.int8).reshape(2, 3, 4, n, size)
    queries, keys = codes * np.reshape(content["neuron_scales"], (2, 3, 1, 1, 1)) / 127
    bias = np.frombuffer(inflated(content["position_bias"]), "<f4").reshape(4, n, n)
    attention = (np.frombuffer(inflated(content["arrays"])[: 12 * n * n], np.uint8).reshape(3, 4, n, n) / 255) ** 2
    products = queries @ keys.swapaxes(-1, -2) / size**0.5
    np.testing.assert_allclose(softmax(products + bias, -1), attention, atol=0.02)
    assert np.abs(softmax(products, -1) - attention).max() > 0.2


def test_a_family_without_neurons_has_a_reason(tmp_path, embedded_model):
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    tokenizer.save_pretrained(tmp_path)
    random_model("modernbert", vocab_size=len(tokenizer)).save_pretrained(tmp_path)
    html = show_text(tmp_path, "A cat sat.", device="cpu").html
    assert '"arrays"' in html
    assert '"neurons"' not in html
    assert '"lacks":"it rotates queries and keys by their positions before it compares them"' in html


def test_only_the_second_model_has_a_reason_if_only_its_family_lacks_neurons(tmp_path, embedded_model):
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    sizes = {"vocab_size": len(tokenizer), "num_hidden_layers": 2, "num_attention_heads": 4}
    for kind in ("bert", "modernbert"):
        tokenizer.save_pretrained(tmp_path / kind)
        random_model(kind, **sizes).save_pretrained(tmp_path / kind)
    html = show_text(tmp_path / "bert", "A cat sat.", beside=tmp_path / "modernbert", device="cpu").html
    data = json.loads(Reader(html).scripts[0])
    assert (data["lacks"], ["neurons" in content for content in data["sequences"]]) == ("", [True, False])
    assert data["sequences"][1]["lacks"].startswith("it rotates queries and keys")


def test_words_of_a_byte_level_tokenizer_are_readable(tmp_path):
    text = show_text(save_roberta(tmp_path / "model"), "The dög sat 🤗", device="cpu").html
    assert "\\u0120" not in text  # the mark of a space
    assert '"words":["<s>","The",' in text.replace("\\u003c", "<").replace("\\u003e", ">")


@pytest.fixture
def run(embedded_model, tmp_path):
    """A function that runs the program with some arguments and returns the page."""
    output = tmp_path / "pages" / "mine.html"

    def run(*arguments):
        always = ("--model", embedded_model, "--device", "cpu", "--output", output)
        main(["explore", *map(str, (*always, *arguments))])
        return output

    return run


def test_the_program_writes_a_page(run, capsys):
    output = run("--text", TEXTS[0][0], "--text-pair", TEXTS[0][1])
    assert '"strawberries"' in output.read_text(encoding="utf-8")
    assert str(output) in capsys.readouterr().out


def test_findings_and_name_come_from_a_page_of_the_same_weights(run, embedded_model, tmp_path):
    fact = Finding("Attention to", "[CLS]", "the corpus", "share", {(1, 1): Fact(0.123)})
    for folder, name, weights in (("a", "other", "0"), ("b", "mine", sha256(embedded_model / "model.safetensors"))):
        (tmp_path / folder).mkdir()
        text = page(name, 6, 12, [], packed_findings([fact], weights))
        (tmp_path / folder / "explorer.html").write_text(text, encoding="utf-8")
    assert findings_in(run("--text", "a", "--findings", tmp_path)) == findings_in(tmp_path / "b/explorer.html")
    assert findings_in(run("--text", "a", "--findings", tmp_path / "a"))[1]["findings"] == []
    named = findings_in(run("--text", "a", "--findings", tmp_path, "--name", "given"))
    assert named == ("given", findings_in(tmp_path / "b/explorer.html")[1])


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (["--text", " "], "has no token"),
        (["--text", "word " * 600], "takes at most 512"),
        (["--text", "a", "--text", "b", "--text-pair", "c"], "given 1 times, but --text 2 times"),
        (["--text", "a", "--name", "caf\udce9"], "--name: 'caf.udce9' is not UTF-8"),  # a byte of Latin-1
        (["--text", "a", "--model", "/nowhere"], "does not exist"),
        (["--text", "a", "--model", "hub:bert"], "has no revision"),
        (["--text", "a", "--output", "/"], "is a folder"),
        (["--text", "a", "--output", f"{__file__}/page.html"], "cannot be written into .*py"),
    ],
)
def test_the_program_reports_errors(run, tmp_path, arguments, problem):
    with pytest.raises(SystemExit, match=problem):
        run(*arguments)
    assert not list(tmp_path.iterdir())
