"""Sequences of a store for the page, and one's own text by the same encoder."""

import numpy as np
import pytest
from transformers import AutoTokenizer

from bert_attention.explorer.__main__ import main, name_of
from bert_attention.explorer.notes import Fact, Finding
from bert_attention.explorer.own_text import neurons_of, page_of_texts, show_text, shown_now
from bert_attention.explorer.page import findings_in, packed_findings, page
from bert_attention.explorer.stored import packed_from_store, shown
from bert_attention.files import sha256
from bert_attention.tokenization.sequences import EncodedSequence
from tests.explorer.sequences import TEXTS, small_store
from tests.models.random_models import random_model, save_roberta


@pytest.fixture(scope="module")
def small(embedded_model, tmp_path_factory):
    return small_store(tmp_path_factory.mktemp("store"), embedded_model)


def test_the_shortest_of_a_store_come_first_with_their_words(small):
    encoder, tokenizer, store = small
    contents = packed_from_store(store, tokenizer, encoder)
    sides = [content["sides"][0] for content in contents]
    lengths = [len(side["tokens"]) for side in sides]
    assert lengths == sorted(lengths)
    assert sides[0]["tokens"] == ["[CLS]", "a", "dog", "barked", ".", "[SEP]"]
    assert sides[0]["special"] == [1, 0, 0, 0, 0, 1]
    cat = next(side for side in sides if "cat" in side["tokens"])
    place = cat["tokens"].index("straw")
    assert cat["tokens"][place + 1] == "##berries"
    assert cat["words"][cat["word_of"][place]] == "strawberries"
    assert cat["word_of"][place] == cat["word_of"][place + 1]
    assert cat["words"].count("[SEP]") == 2
    assert cat["part_of"] == [0] * (cat["tokens"].index("[SEP]") + 1) + [1] * 4  # it slept . [SEP]
    assert all("neurons" in content for content in contents)


def test_ones_own_text_has_what_the_store_has(small):
    encoder, tokenizer, store = small
    for stored in store:
        encoded = EncodedSequence(stored.token_ids, stored.segment_ids, stored.word_ids)
        ours, theirs = shown_now(encoded, encoder, tokenizer), shown(stored, tokenizer)
        assert ours.queries.packed() == theirs.queries.packed()
        for name in ("attention", "value_norms", "summed_norms"):
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=2e-3)


def test_neurons_give_the_weights(small):
    encoder, tokenizer, store = small
    stored = next(iter(store))
    queries, keys = neurons_of(
        EncodedSequence(stored.token_ids, stored.segment_ids, stored.word_ids), encoder, tokenizer
    )
    scores = np.exp(queries @ keys.swapaxes(-1, -2) / queries.shape[-1] ** 0.5)
    np.testing.assert_allclose(scores / scores.sum(-1, keepdims=True), stored.attention, atol=1e-3)


def test_a_text_of_an_encoder_whose_scores_are_no_products_has_no_neurons(tmp_path, embedded_model):
    tokenizer = AutoTokenizer.from_pretrained(embedded_model)
    tokenizer.save_pretrained(tmp_path)
    random_model("modernbert", vocab_size=len(tokenizer)).save_pretrained(tmp_path)
    html = show_text(tmp_path, "A cat sat.", device="cpu").html
    assert '"arrays"' in html
    assert '"neurons"' not in html
    assert '"lacks":"it rotates queries and keys by their positions before it compares them"' in html


def test_ones_own_texts_have_neurons_however_much_room_they_take(embedded_model):
    html = page_of_texts(embedded_model, [("word " * 400, ""), ("A cat.", "")], "m", device="cpu").html
    assert html.count('"neurons":') == 2


def test_words_of_a_byte_level_tokenizer_are_readable(tmp_path):
    text = show_text(save_roberta(tmp_path / "model"), "The dög sat 🤗", device="cpu").html
    assert "\\u0120" not in text  # the mark of a space
    assert '"words":["<s>","The",' in text.replace("\\u003c", "<").replace("\\u003e", ">")


@pytest.fixture(scope="module")
def model(embedded_model):
    return str(embedded_model)


def test_the_program_writes_a_page(model, tmp_path, capsys):
    output = tmp_path / "pages" / "mine.html"
    first, second = TEXTS[0]
    main(["--model", model, "--text", first, "--text-pair", second, "--output", str(output), "--device", "cpu"])
    assert '"strawberries"' in output.read_text(encoding="utf-8")
    assert str(output) in capsys.readouterr().out


def test_findings_of_the_same_weights_are_shown_under_the_name_that_they_have_there(model, tmp_path, capsys):
    fact = Finding("Its attention goes to", "[CLS]", "the corpus", "share", {(1, 1): Fact(0.123)})
    for folder, name, weights in (("a", "other", "0"), ("b", "mine", sha256(f"{model}/model.safetensors"))):
        (tmp_path / folder).mkdir()
        text = page(name, 6, 12, [], packed_findings([fact], weights))
        (tmp_path / folder / "explorer.html").write_text(text, encoding="utf-8")
    output = tmp_path / "page.html"
    arguments = ["--model", model, "--text", "a", "--output", str(output), "--device", "cpu", "--findings"]
    main([*arguments, str(tmp_path)])
    assert findings_in(output) == findings_in(tmp_path / "b/explorer.html")
    main([*arguments, str(tmp_path / "a")])
    assert findings_in(output)[1]["findings"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--text", " "], "has no token"),
        (["--text", "word " * 600], "takes at most 512"),
        (["--text", "a", "--text", "b", "--text-pair", "c"], "given 1 times, but --text 2 times"),
        (["--text", "a", "--model", "/nowhere"], "does not exist"),
        (["--text", "a", "--model", "hub:bert"], "has no revision"),
    ],
)
def test_the_program_says_what_is_wrong(model, tmp_path, arguments, said):
    output = tmp_path / "page.html"
    with pytest.raises(SystemExit, match=said):
        main(["--model", model, "--device", "cpu", "--output", str(output), *arguments])
    assert not output.exists()


@pytest.mark.parametrize(("output", "said"), [("", "is a folder"), ("file/page.html", "cannot be written into .*file")])
def test_a_place_that_cannot_hold_the_page_is_said_before_anything_else(tmp_path, output, said):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match=said):
        main(["--model", "/nowhere", "--text", "a", "--output", str(tmp_path / output)])


@pytest.mark.parametrize(
    ("model", "name"),
    [
        ("hub:google-bert/bert-base-uncased@86b5e09", "google-bert/bert-base-uncased"),
        ("package:some-package/data/model", "some-package"),
        ("/models/mine/", "mine"),
        ("path:/models/mine", "mine"),
    ],
)
def test_a_model_has_a_name(model, name):
    assert name_of(model) == name
