import pytest

from bert_attention.corpora.conllu import documents_of, parse_sentence, write_conllu
from bert_attention.corpora.texts import (
    draw_split,
    in_documents,
    joined_texts,
    read_texts,
    silver_split,
    texts_of_articles,
    texts_of_task,
)
from bert_attention.corpora.types import Article, PairTask, TaskExample
from bert_attention.errors import InputError


def sentence(word):
    return parse_sentence([(1, f"# text = {word}"), (2, f"1\t{word}\t_\t_\t_\t_\t0\troot\t_\t_")])


def test_the_validation_sentences_are_the_texts_of_a_task():
    validation = (TaskExample("One.", "Two.", 1.0), TaskExample("Three.", None, 0.0))
    task = PairTask("mrpc", ("no", "yes"), ("accuracy",), (TaskExample("Not this.", None, 0.0),), validation)
    assert texts_of_task(task) == {"1 first": "One.", "1 second": "Two.", "2 first": "Three."}


def parsed_articles(titles):
    """Return three paragraphs per title, whose two sentences have the word ``<title>-<paragraph>-<sentence>``."""
    paragraphs = [(title, number) for title in titles for number in (1, 2, 3)]
    return {f"{title} {n}": [sentence(f"{title}-{n}-1"), sentence(f"{title}-{n}-2")] for title, n in paragraphs}


def words(sentences):
    return [entry.forms[0] for entry in sentences]


def test_every_fifth_article_is_held_out_as_a_whole():
    texts = parsed_articles(f"Owl {letter}" for letter in "ABCDEFGHIJKLM")
    dev, train = (words(silver_split(texts, split)) for split in ("dev", "train"))
    assert {word.split("-")[0] for word in dev} == {"Owl A", "Owl F", "Owl K"}
    assert len(dev) == 3 * 3 * 2
    assert sorted(dev + train) == sorted(word for found in texts.values() for word in words(found))
    with pytest.raises(InputError, match="no sentence for the split train: only 1 articles"):
        silver_split(parsed_articles(["Owl"]), "train")


def test_a_sample_of_sentences_keeps_their_order_and_articles():
    texts = parsed_articles("ABCDEFG")
    drawn = silver_split(texts, "train", 7, 1)
    assert len(drawn) == 7
    assert words(drawn) == [word for word in words(silver_split(texts, "train")) if word in words(drawn)]
    title = None
    for entry in drawn:
        title = entry.comment("newdoc id") or title
        assert entry.forms[0].startswith(f"{title}-")


def test_sentences_can_be_drawn_before_they_are_parsed():
    texts = parsed_articles("ABCDEFG")
    drawn = draw_split({name: range(len(sentences)) for name, sentences in texts.items()}, "train", 7, 1)
    assert in_documents([(name, texts[name][index]) for name, index in drawn], texts) == silver_split(
        texts, "train", 7, 1
    )


def test_the_paragraphs_of_an_article_are_one_document_of_the_treebank(tmp_path):
    articles = [Article(title, (("Owls fly.", "Some sing."),) * 2) for title in ("Owl", *"BCDE", "Barn owl")]
    names = texts_of_articles(articles)
    assert list(names)[:3] == ["Owl 1", "Owl 2", "B 1"]
    assert set(names.values()) == {"Owls fly. Some sing."}
    write_conllu(joined_texts(names, [[sentence(str(number))] for number in range(12)]), tmp_path / "parsed.conllu")
    parsed = read_texts(tmp_path / "parsed.conllu")
    assert {name: words(found) for name, found in parsed.items()} == {name: [str(n)] for n, name in enumerate(names)}
    write_conllu(silver_split(parsed, "dev"), tmp_path / "dev.conllu")
    assert documents_of(tmp_path / "dev.conllu") == [1, 1, 2, 2]
