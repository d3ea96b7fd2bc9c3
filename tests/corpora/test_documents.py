"""Parquet files of the hub: Wikipedia, reviews and WikiText."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bert_attention.corpora.running_text import detect_format, read_running_text
from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.errors import InputError

MILL = "The mill at the river burned down twice. Its owners built it up again."
RIVER = "The river rises in the hills above the town and flows past two old mills before it meets the sea. It is short."


def write(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def read(path, form="auto"):
    articles, left_out = read_running_text(path, form)
    return {article.title: [" ".join(sentences) for sentences in article.paragraphs] for article in articles}, +left_out


def test_wikipedia_has_an_article_in_each_row(tmp_path):
    texts = [f"{MILL}\n\n{RIVER}\n\nSee also\n\n Other mill\n Old river\n{MILL}", RIVER, "References\n\n"]
    urls = ["https://example.org/" + number for number in "123"]
    titles = ["Mill", "River", "Empty"]
    path = write(tmp_path / "train-00000-of-00001.parquet", id=["1", "2", "3"], url=urls, title=titles, text=texts)
    assert detect_format(path) == detect_format(tmp_path) == "documents"
    for source, form in ((path, "auto"), (tmp_path, "documents")):
        articles, left_out = read(source, form)
        assert articles == {"Mill": [MILL, RIVER, MILL], "River": [RIVER]}
        assert left_out == {"headings and other short lines": 4, "documents without running text": 1}


def test_reviews_have_a_document_in_each_row(tmp_path):
    texts = [f"{MILL}<br /><br />{RIVER}", RIVER, f"A heading\n{MILL}"]
    path = write(tmp_path / "reviews.parquet", text=texts, label=[0, 1, 1])
    articles, _ = read(path)
    assert articles == {"reviews 1": [MILL, RIVER], "reviews 2": [RIVER], "reviews 3": [MILL]}
    write(tmp_path / "more.parquet", text=[MILL], label=[0])
    assert [*read(tmp_path)[0]] == [f"{tmp_path.name} {number}" for number in (1, 2, 3, 4)]


def test_wrapped_lines_of_books_are_joined(tmp_path):
    path = write(
        tmp_path / "books.parquet", title=["A", None, "A"], text=["The mill\nburned\ndown.\n\nIt\nstood.", MILL, MILL]
    )
    assert read(path)[0] == {"A": ["The mill burned down.", "It stood."], "books 2": [MILL], "A (2)": [MILL]}


HEADED = ["", " = Mill = \n", "", f" {MILL} \n", " = = River = = \n", f" {RIVER} \n"]


def test_only_lines_with_headings_are_wikitext(tmp_path):
    path = write(tmp_path / "wiki.parquet", text=HEADED)
    assert (detect_format(path), [*read(path)[0]]) == ("wikitext", ["Mill"])
    section = write(tmp_path / "section.parquet", text=HEADED[3:])  # a shard that begins within an article
    assert detect_format(section) == "wikitext"
    for text in (HEADED[3:4], [line for line in HEADED if "=" not in line], ["".join(HEADED)]):
        assert detect_format(write(tmp_path / "documents.parquet", text=text)) == "documents"
    with pytest.raises(InputError, match=r"documents.parquet: looks like documents, not like wikitext"):
        read(tmp_path / "documents.parquet", "wikitext")


def test_a_book_in_one_row_is_one_article(tmp_path):
    path = write(tmp_path / "books.parquet", text=[f"{RIVER}\n\n" * 200])
    assert {title: len(paragraphs) for title, paragraphs in read(path)[0].items()} == {"books 1": 200}


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ({"sentence": [MILL], "label": [1]}, r"has no column text; its columns are sentence, label"),
        ({"text": [[MILL]]}, r"its column text holds list<.*>, not text"),
        ({"text": [MILL, None]}, r"row 2: has no text \(null\)"),
        ({"text": ["References", " "]}, r"holds no article with running text \(left out: .*documents without running"),
        ({"text": ["x" * (LONGEST_PARAGRAPH + 1)]}, r"holds no article with running text \(left out: paragraphs of"),
        ({"text": ['{"title": "Mill", "text": "It burned."}'] * 3}, "looks like JSON lines"),
        ({"text": ["\\section{Mills}\nThe mill burned."] * 3}, "looks like LaTeX"),
    ],
)  # fmt: skip
def test_the_error_names_other_columns_and_texts(tmp_path, columns, problem):
    with pytest.raises(InputError, match=rf"w.parquet[:,] {problem}"):
        read(write(tmp_path / "w.parquet", **columns))
