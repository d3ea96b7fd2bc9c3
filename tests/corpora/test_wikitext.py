"""Reading WikiText."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.running_text import read_running_text
from bert_attention.errors import InputError

LINES = [
    "",
    " = Red fox = ",
    " ",
    ' The red @-@ brown fox weighs 2 @.@ 5 kg ( 5 @.@ 5 lb ) . It eats 1 @,@ 000 mice , a <unk> and " fruit " . ',
    " = = Habitat = = ",
    " It lives in the cities ' gardens , and it doesn 't fear people at all . ",
    " = Owl = ",
    " Owls fly at night , when few other birds do , and hear very well . ",
]
FOX = (
    ("The red-brown fox weighs 2.5 kg (5.5 lb).", 'It eats 1,000 mice, a [UNK] and "fruit".'),
    ("It lives in the cities' gardens, and it doesn't fear people at all.",),
)


def read(form, path):
    """All articles of a corpus, and counts of what was left out."""
    articles, left_out = read_running_text(path, form)
    return list(articles), left_out


def test_articles_are_put_together_from_tokens(tmp_path):
    path = tmp_path / "wiki.txt"
    path.write_text("\n".join(LINES))
    articles, counts = read("wikitext", path)
    assert [article.title for article in articles] == ["Red fox", "Owl"]
    assert articles[0].paragraphs == FOX
    assert counts == {"headings and other short lines": 1, "words <unk>, kept as unknown": 1}


def test_parquet_files_hold_the_same(tmp_path):
    for number, part in enumerate((LINES[:5], LINES[5:])):  # the first article goes on in the second file
        pq.write_table(pa.table({"text": part}), tmp_path / f"train-{number:05d}.parquet")
    articles, _ = read("wikitext", tmp_path)
    assert articles[0].paragraphs == FOX


def test_real_wikitext(real_data, tmp_path):
    lines = real_data("wikitext2/valid.txt").read_text().splitlines()[:600]
    (tmp_path / "wiki.txt").write_text("\n".join(lines))
    articles, _ = read("auto", tmp_path / "wiki.txt")
    assert len(articles) == sum(line.startswith(" = ") and not line.startswith(" = = ") for line in lines)
    text = " ".join(sentence for article in articles for paragraph in article.paragraphs for sentence in paragraph)
    assert not any(mark in text for mark in ("@-@", "@.@", "( ", " ;", "<unk>"))


def test_a_row_without_text_is_named(tmp_path):
    pq.write_table(pa.table({"text": ["A line.", None]}), tmp_path / "w.parquet")
    with pytest.raises(InputError, match=r"w.parquet, row 2: has no text \(null\)"):
        read("auto", tmp_path / "w.parquet")
