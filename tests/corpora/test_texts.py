"""Raw texts of corpora, and what the parser makes of them."""

from bert_attention.corpora.conllu import documents_of, parse_sentence, read_conllu, write_conllu
from bert_attention.corpora.texts import (
    joined_texts,
    read_texts,
    silver_split,
    texts_of_articles,
    texts_of_task,
    without_tags,
)
from bert_attention.corpora.types import Article, PairTask, TaskExample


def sentence(word):
    return parse_sentence([(1, f"# text = {word}"), (2, f"1\t{word}\t_\t_\t_\t_\t0\troot\t_\t_")])


def test_paragraphs_are_the_texts_of_articles():
    articles = [Article("Owl", (("Owls fly.", "Some sing."), ("Others wait.",))), Article("Fox", (("Foxes dig.",),))]
    assert texts_of_articles(articles) == {
        "Owl 1": "Owls fly. Some sing.",
        "Owl 2": "Others wait.",
        "Fox 1": "Foxes dig.",
    }


def test_sentences_are_the_texts_of_a_task():
    train = (TaskExample("Not this.", None, 0.0),)
    validation = (TaskExample("One.", "Two.", 1.0), TaskExample("Three.", None, 0.0))
    task = PairTask("mrpc", ("no", "yes"), ("accuracy",), train, validation)
    assert texts_of_task(task) == {"1 first": "One.", "1 second": "Two.", "2 first": "Three."}


def test_parsed_texts_are_told_apart_again(tmp_path):
    parsed = [[sentence("A"), sentence("B")], [sentence("C")]]
    joined = list(joined_texts(["x 1", "x 2"], parsed))
    assert [entry.id for entry in joined] == ["x 1 1", "x 1 2", "x 2 1"]
    write_conllu(joined, tmp_path / "parsed.conllu")
    assert {
        name: [entry.forms for entry in found] for name, found in read_texts(tmp_path / "parsed.conllu").items()
    } == {
        "x 1": [("A",), ("B",)],
        "x 2": [("C",)],
    }


def test_a_tenth_of_the_texts_is_held_out():
    texts = {f"Owl {number}": [sentence(str(number))] for number in range(30)}
    dev, train = ([entry.forms[0] for entry in silver_split(texts, split)] for split in ("dev", "train"))
    assert dev == ["9", "19", "29"]
    assert sorted(dev + train, key=int) == [str(number) for number in range(30)]


def test_an_article_is_a_document_of_the_treebank_made_of_its_paragraphs(tmp_path):
    articles = [Article(title, (("Owls fly.",),) * 20) for title in ("Owl", "Barn owl")]
    names = texts_of_articles(articles)
    write_conllu(joined_texts(names, [[sentence(str(number))] for number in range(40)]), tmp_path / "parsed.conllu")
    dev = silver_split(read_texts(tmp_path / "parsed.conllu"), "dev")
    assert [entry.document for entry in dev] == [1, 1, 2, 2]
    write_conllu(dev, tmp_path / "dev.conllu")
    assert documents_of(tmp_path / "dev.conllu") == [1, 1, 2, 2]
    assert "# newpar id = Barn owl 10" in (tmp_path / "dev.conllu").read_text()


def test_a_sentence_without_tags_keeps_its_words_and_is_still_a_tree(tmp_path):
    lines = ["1\tOwls\towl\tNOUN\tNNS\tNumber=Plur\t2\tnsubj\t_\tx=1", "2\tfly\tfly\tVERB\tVB\t_\t0\troot\t_\t_"]
    tagged = parse_sentence(list(enumerate(["# text = Owls fly", *lines], start=1)))
    write_conllu([without_tags(tagged)], tmp_path / "a.conllu")
    (found,) = read_conllu(tmp_path / "a.conllu")[0]
    assert (found.forms, found.comments, found.words[0].misc) == (tagged.forms, tagged.comments, "x=1")
    assert {(word.upos, word.xpos, word.lemma, word.feats, word.relation) for word in found.words} == {("_",) * 5}
