"""Running text in articles, from a file or folder in any of four formats, read as a stream.

==============  =========================================================================================
``plain``       plain text: a file, or a folder of files ``*.txt``; see :mod:`bert_attention.corpora.plain_text`
``lines``       the same with a sentence on each line and an empty line between documents, as for BERT's pre-training
``wikitext``    WikiText: a text file, or a Parquet file or a folder of them, a line in each row
``documents``   a Parquet file or a folder of them, a document in each row; see
                :mod:`bert_attention.corpora.documents`
``mediawiki``   an XML dump of a wiki
==============  =========================================================================================

Each text file and dump may be compressed (``.gz``, ``.bz2``, ``.xz``, ``.zst``).

NLTK's Punkt, trained on the beginning of the text itself, splits sentences. Punkt is unsupervised, needs no download,
and learns the abbreviations of the text that it splits (Kiss and Strunk 2006, Computational Linguistics 32). In scripts
without a full stop, Unicode properties define the ends of sentences.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from xml.etree.ElementTree import ParseError

import regex
from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer, PunktTrainer

from bert_attention.corpora.bad_lines import is_withheld
from bert_attention.corpora.compressed import (
    COMPRESSIONS,
    files_in,
    open_decompressed,
    open_utf8,
    plain_name,
    text_lines,
)
from bert_attention.corpora.documents import document_articles, first_texts, read_rows
from bert_attention.corpora.other_formats import find_other_format
from bert_attention.corpora.plain_text import (
    PARAGRAPHS_OF_ARTICLE,
    layout_of,
    line_articles,
    other_line_end,
    plain_articles,
)
from bert_attention.corpora.types import Article
from bert_attention.corpora.wikipedia import dump_articles
from bert_attention.corpora.wikitext import are_wikitext_lines, looks_like_wikitext, wikitext_articles
from bert_attention.corpora.writing_systems import split_sentences
from bert_attention.errors import InputError, check_choice
from bert_attention.files import visible_files

FORMATS = ("plain", "lines", "wikitext", "documents", "mediawiki")
REMEDY = (
    "give plain text (with blank lines between paragraphs), WikiText, a MediaWiki XML dump (each uncompressed or as "
    f"{COMPRESSIONS}), or Parquet files with a column text (a line of WikiText or a document in each row)"
)

_SAMPLE = 1 << 16  # bytes from which the format is detected

# NLTK needs seconds for long paragraphs of marks, such as a line drawn with exclamation marks.
_SHORTEST_OF_MARKS = 200  # characters
_MOST_MARKS = 0.5  # share of characters that are neither letters, digits nor the signs above and below them
_MARK = regex.compile(r"[^\p{L}\p{M}\p{N}]")

# The splitter learns from this number of articles. They take a megabyte of memory each; later articles are streamed.
_ARTICLES_TO_LEARN_FROM = 250

# A folder of this many text files or more is a collection of articles, enough for all intervals. Fewer are cut.
_FILES_OF_AN_ARTICLE = 36

# Common English abbreviations, because 106 articles are too few to learn them from.
_ABBREVIATIONS = frozenset(
    ("dr", "prof", "vs", "no", "nos", "trans", "ed", "eds", "capt", "sgt", "fig", "approx", "est", "sen", "gov")
)


def read_running_text(
    path: Path | str, form: str = "auto", limit: int | None = None
) -> tuple[Iterator[Article], Counter[str]]:
    """Return an iterator over the articles of a corpus, in order, and counts of skipped text, by reason.

    Articles are read on demand, so the counts are complete only after the last article. Memory does not grow with the
    corpus. ``form`` is one of ``FORMATS``, or ``auto`` to detect the format. Articles without running text do not count
    towards ``limit``, the maximum number of articles.

    Plain text is cut into articles of forty paragraphs. In a folder of 36 text files or more, each file is an article.
    Articles with the title of an earlier article get a number, because a title stands for one article.

    Raise InputError if the file is in another format than ``form``, or in none of the formats, or if it may be
    ``plain`` as well as ``lines``. Text that looks like a
    table, markup or another format without running text is read only if ``form`` is not ``auto``. During iteration,
    raise InputError if the file is damaged or not UTF-8, or if no article has running text.
    """
    check_choice("form", form, ("auto", *FORMATS))
    path = Path(path)
    left_out: Counter[str] = Counter()
    formats = {part: detect_format(part, form) for part in _parts(path)}
    for part, detected in formats.items():
        if form not in ("auto", detected):
            in_workflow = f"set `format` to one of auto, {', '.join(FORMATS)}"
            raise InputError(part, f"looks like {detected}, not like {form}", REMEDY, in_workflow)
    size = None if len(formats) >= _FILES_OF_AN_ARTICLE else PARAGRAPHS_OF_ARTICLE
    read = chain.from_iterable(_texts(part, detected, left_out, size) for part, detected in formats.items())
    texts = _with_unique_titles(_with_words(read, left_out))
    return _articles(path, islice(texts, limit), left_out), left_out


def _parts(path: Path) -> list[Path]:
    """Return the files of a corpus. A folder of Parquet files is one part, because an article can span two files."""
    if not path.is_dir() or _parquet_files(path):
        return [path]
    files = files_in(path, "*", ".txt")
    if not files:
        raise InputError(path, "holds neither Parquet files nor text files (*.txt)", REMEDY)
    return files


def _parquet_files(path: Path) -> list[Path]:
    return visible_files(path, "*.parquet") if path.is_dir() else [path]


def detect_format(path: Path | str, form: str = "auto") -> str:
    """Return the detected format of a file, or of a folder of Parquet files.

    ``form`` is the format that the user named, or ``auto``. Text that does not look like running text is an error only
    if the user named no format. Raise InputError if the format is none of ``FORMATS``, or the layout of a plain text is
    unclear.
    """
    path = Path(path)
    if _is_parquet(path):
        rows = first_texts(_parquet_files(path))
        detected, text = "wikitext" if are_wikitext_lines(rows) else "documents", "\n".join(rows)
    else:
        text = _beginning(path)
        detected = _text_format(text, form)
    other = (
        find_other_format(text) if form == "auto" and detected in ("plain", "lines", "unclear", "documents") else None
    )
    if other:
        in_workflow = f"if it is running text, set `format: {detected}`"
        raise InputError(path, f"looks like {other.name}, which is not running text", other.remedy, in_workflow)
    if detected == "unclear":
        problem = (
            "is text whose lines end as sentences, between blank lines: each line may be a sentence and each block a"
            " document (lines), or each block a paragraph (plain)"
        )
        remedy = "name one of them: Study(text_format=...), --text-format, or the form of read_running_text"
        raise InputError(path, problem, remedy, "set corpora.wikipedia.format to lines or plain")
    separator = other_line_end(text) if detected == "plain" else None
    if separator:
        remedy = "replace them by line feeds"
        raise InputError(path, f"has no line feeds, but the separator {separator}", remedy)
    return detected


def _text_format(text: str, form: str) -> str:
    """Return the format of a text, or ``unclear`` if it may be ``plain`` or ``lines`` and ``form`` is neither."""
    if re.match(r"\s*+(?:<\?xml[^>]*+>\s*+)?+(?>(?:<!--.*?-->\s*+)*+)<mediawiki\b", text, re.DOTALL):
        return "mediawiki"
    if looks_like_wikitext(text):
        return "wikitext"
    return form if form in ("plain", "lines") else layout_of(text) or "unclear"


def _is_parquet(path: Path) -> bool:
    if not path.is_file():
        return path.is_dir()
    with open(path, "rb") as file:
        return file.read(4) == b"PAR1"


def _beginning(path: Path | str) -> str:
    """Return the beginning of a text without invalid UTF-8. The reader of the lines later reports invalid UTF-8."""
    with open_utf8(path) as file:
        sample = file.read(_SAMPLE).removeprefix(codecs.BOM_UTF8)
    if b"\0" in sample:
        raise InputError(path, "is not text in UTF-8", REMEDY)
    if not sample.strip():
        raise InputError(path, "is empty", REMEDY)
    return sample.decode("utf-8", "ignore")


def _texts(path: Path, detected: str, left_out: Counter[str], size: int | None) -> Iterator[tuple[str, list[str]]]:
    """Yield title and paragraphs of each article of a part of a corpus; of plain text, ``size`` paragraphs or all."""
    try:
        if detected == "mediawiki":
            with open_decompressed(path) as file:
                yield from dump_articles(file, left_out)
        elif detected == "wikitext":
            rows = (text for _, text in read_rows(_parquet_files(path))) if _is_parquet(path) else _lines(path)
            yield from wikitext_articles(rows, left_out)
        elif detected == "documents":
            yield from document_articles(_parquet_files(path), path.stem, left_out)
        elif detected == "lines":
            yield from line_articles(_lines(path), Path(plain_name(path)).stem, left_out)
        else:
            yield from plain_articles(_lines(path), Path(plain_name(path)).stem, _beginning(path), left_out, size)
    except ParseError as error:
        raise InputError(
            path, f"is incomplete or not a {detected} file ({error})", f"get the file again, or {REMEDY}"
        ) from error


def _with_words(texts: Iterable[tuple[str, list[str]]], left_out: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    """Skip and count paragraphs whose words are blanked out, or that are mostly marks instead of words."""
    for title, paragraphs in texts:
        kept = []
        for paragraph in paragraphs:
            if is_withheld(paragraph.split()):
                left_out["paragraphs whose words are blanked out"] += 1
            elif len(paragraph) > _SHORTEST_OF_MARKS and len(_MARK.findall(paragraph)) > _MOST_MARKS * len(paragraph):
                left_out["paragraphs of marks instead of words"] += 1
            else:
                kept.append(paragraph)
        if kept:
            yield title, kept


def _with_unique_titles(texts: Iterable[tuple[str, list[str]]]) -> Iterator[tuple[str, list[str]]]:
    """Add a number to each title that an earlier text has; titles are one line."""
    numbers: dict[str, int] = {}
    for title, paragraphs in texts:
        name = unique = " ".join(title.split()) or "untitled"
        while unique in numbers:
            numbers[name] += 1
            unique = f"{name} ({numbers[name]})"
        numbers[unique] = 1
        yield unique, paragraphs


def _lines(path: Path) -> Iterator[str]:
    return (line for _, line in text_lines(path))


def _articles(path: Path, texts: Iterator[tuple[str, list[str]]], left_out: Counter[str]) -> Iterator[Article]:
    beginning = list(islice(texts, _ARTICLES_TO_LEARN_FROM))
    if not beginning:
        found = ", ".join(f"{reason} ({count})" for reason, count in (+left_out).items())
        raise InputError(path, f"holds no article with running text{found and f' (left out: {found})'}", REMEDY)
    splitter = train_sentence_splitter(paragraph for _, paragraphs in beginning for paragraph in paragraphs)
    for title, paragraphs in chain(beginning, texts):
        yield Article(title, tuple(split_sentences(paragraph, splitter) for paragraph in paragraphs))


def train_sentence_splitter(paragraphs: Iterable[str]) -> PunktSentenceTokenizer:
    """Train a Punkt sentence tokenizer on the text that it will split."""
    trainer = PunktTrainer("\n\n".join(paragraphs))
    parameters: PunktParameters = trainer.get_params()
    parameters.abbrev_types |= _ABBREVIATIONS
    return PunktSentenceTokenizer(parameters)
