"""Articles of WikiText (Merity et al. 2016): Wikipedia's good and featured articles, tokenized, one paragraph a line.

Headings are between equals signs, an article's title in one pair. Hyphens, commas and points inside words and numbers
are between at signs. Rare words are ``<unk>`` in all but the raw variants.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from nltk.tokenize.treebank import TreebankWordDetokenizer

from bert_attention.corpora.text_limits import LONGEST_PARAGRAPH
from bert_attention.corpora.types import Article
from bert_attention.corpora.wikipedia import train_sentence_splitter
from bert_attention.errors import InputError
from bert_attention.files import numbered_lines

_HEADING = re.compile(r"(?P<marks>=(?: =)*) (?P<title>[^=].*[^=]) (?P=marks)")
_INSIDE_WORD = re.compile(r" @([-,.])@ ")
_CLITIC = re.compile(r"(?<=\w) '(?=(?:t|s|d|m|re|ve|ll)\b)")
_RARE, _UNKNOWN = "<unk>", "[UNK]"  # how BERT's tokenizer writes a word that it does not know
_SHORTEST_PARAGRAPH = 40  # characters


def read_wikitext(path: Path | str) -> tuple[list[Article], Counter[str]]:
    """Articles in their order, as running text again, and counts of what was left out or unknown, by reason.

    Parameters
    ----------
    path
        A text file, or a folder of Parquet files with a column ``text``, as on the hub.

    Raises
    ------
    InputError
        If there is no such file, a text is not UTF-8, or no article has running text.
    """
    counts: Counter[str] = Counter()
    texts: list[tuple[str, list[str]]] = [("", [])]
    for line in _lines(Path(path)):
        heading = _HEADING.fullmatch(line)
        if heading and heading["marks"] == "=":
            texts.append((_running_text(heading["title"]), []))
        elif heading or len(line) < _SHORTEST_PARAGRAPH:
            counts["headings and other short lines"] += bool(line)
        elif len(line) > LONGEST_PARAGRAPH:
            counts[f"paragraphs of more than {LONGEST_PARAGRAPH} characters"] += 1
        else:
            counts[f"words {_RARE}, kept as {_UNKNOWN}"] += line.count(_RARE)
            texts[-1][1].append(_running_text(line))
    texts = [(title, paragraphs) for title, paragraphs in texts if paragraphs]
    if not texts:
        raise InputError(path, "holds no article with running text", "give WikiText: a text file or Parquet files")
    splitter = train_sentence_splitter(paragraph for _, paragraphs in texts for paragraph in paragraphs)
    articles = [
        Article(title, tuple(tuple(splitter.tokenize(paragraph)) for paragraph in paragraphs))
        for title, paragraphs in texts
    ]
    return articles, +counts


def _lines(path: Path) -> Iterator[str]:
    for text in _parquet_texts(path) if path.is_dir() else (line for _, line in numbered_lines(path)):
        yield text.strip()


def _parquet_texts(folder: Path) -> Iterable[str]:
    files = sorted(folder.glob("*.parquet"))
    if not files:
        raise InputError(folder, "holds no Parquet file", "give the folder of a WikiText variant")
    for file in files:
        try:
            yield from pq.read_table(file, columns=["text"])["text"].to_pylist()
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                file, f"is not a readable Parquet file with a column text ({error})", "fetch it again"
            ) from error


def _running_text(line: str) -> str:
    """Turn a line of tokens into running text."""
    joined = _CLITIC.sub("'", _INSIDE_WORD.sub(r"\1", line.replace(_RARE, _UNKNOWN)))
    return TreebankWordDetokenizer().detokenize(_directed_quotes(joined.split()))


def _directed_quotes(tokens: list[str]) -> list[str]:
    """Turn straight quotes into the treebank's directed ones, so that each is attached to the correct word."""
    directed = []
    inside = False
    for token in tokens:
        directed.append(("''" if inside else "``") if token == '"' else token)
        inside ^= token == '"'
    return directed
