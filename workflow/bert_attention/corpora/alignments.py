"""Parallel text with gold word alignments, and the diagonal baseline.

A corpus is three files with one line for each sentence pair: the source, the target (words separated by spaces), and
the links, source word first. The notations of links are:

- Pharaoh: ``0-0 1-2``, all sure.
- RWTH: ``1-1 2p3``, where ``p`` marks a link that is only possible. RWTH Aachen distributes its German-English corpus
  in two forms. One is this notation, counted from 1 (``alignmentDeEn.talp``). The other is blocks of lines
  ``SENT: 0``, ``S 0 0``, ``P 1 2``, counted from 0 (``alignmentDeEn``).
"""

from __future__ import annotations

import codecs
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

from bert_attention.corpora.bad_lines import (
    GET_TEXT,
    ON_BAD_INPUT,
    BadLineError,
    format_left_out,
    is_withheld,
    stop_or_count,
)
from bert_attention.corpora.compressed import open_decompressed, text_lines
from bert_attention.corpora.types import AlignedPair, Link
from bert_attention.errors import InputError, check_choice
from bert_attention.files import replacing

NOTATIONS = ("auto", "pharaoh", "rwth")

_BYTE_ORDER_MARK = "\ufeff"
_SURE_LINK = re.compile(r"(?P<source>\d{1,9})(?P<kind>-)(?P<target>\d{1,9})", re.ASCII)
_LINK = re.compile(r"(?P<source>\d{1,9})(?P<kind>[-p])(?P<target>\d{1,9})", re.ASCII)
_BLOCK_START = re.compile(r"SENT:\s*(\d{1,9})", re.ASCII)
_BLOCK_LINK = re.compile(r"(?P<kind>[SP])\s+(?P<source>\d{1,9})\s+(?P<target>\d{1,9})", re.ASCII)

_LinkText = tuple[int, str]  # line number and text of a link


def read_alignments(
    source: Path | str,
    target: Path | str,
    links: Path | str,
    notation: str = "auto",
    base: int | None = None,
    on_bad_input: str = "error",
    encoding: str = "utf-8",
) -> tuple[list[AlignedPair], Counter[str]]:
    """Read sentence pairs with their links, and count skipped lines, pairs and links.

    A byte-order mark at the start of a file is dropped. Lines that are blank in all three files are skipped and
    counted. The notation is ``pharaoh``, ``rwth`` (all its forms), or ``auto``, which accepts all notations. ``base``
    is the number of the first word, 0 or 1. If ``base`` is None, words count from 0, and at least one link must name
    word 0: without such a link, the words may as well count from 1. With ``on_bad_input="skip"``, a bad link is skipped
    but its pair kept, and a pair with an empty or blanked-out sentence is skipped.

    With ``on_bad_input="error"``, raise InputError, which names file and line, at a malformed link, a link to a word
    that its sentence does not have, an empty or blanked-out sentence, or text in another encoding. Files that differ in
    length or hold no sentence, and links whose ``base`` is not known, are always an error.
    """
    check_choice("notation", notation, NOTATIONS)
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    if base is not None and (isinstance(base, bool) or not isinstance(base, int) or base not in (0, 1)):
        raise InputError(f"base={base!r}", "is not a valid number for the first word", "give 0 or 1")
    sources = _lines(source, encoding)
    targets = _lines(target, encoding)
    lines = _lines(links, encoding)
    if notation != "pharaoh" and any(map(_BLOCK_START.match, lines[:1])):
        pattern, link_texts = _BLOCK_LINK, _links_in_blocks(links, lines, len(sources))
    else:
        pattern = _SURE_LINK if notation == "pharaoh" else _LINK
        link_texts = [[(number, text) for text in _words(line)] for number, line in enumerate(lines, start=1)]
    if not len(sources) == len(targets) == len(link_texts):
        lengths = f"{source} has {len(sources)}, {target} has {len(targets)}, {links} has {len(link_texts)}"
        remedy = "give three files of one corpus, each with one line for each sentence pair"
        raise InputError(links, f"the numbers of lines differ: {lengths}", remedy)
    if base is None:
        _check_base(links, pattern, link_texts)
    pairs: list[AlignedPair] = []
    left_out: Counter[str] = Counter()
    for number, (source_line, target_line, pair_links) in enumerate(zip(sources, targets, link_texts, strict=True), 1):
        words = _words(source_line), _words(target_line)
        if not any((*words, pair_links)):
            left_out["blank lines"] += 1
            continue
        empty = [path for path, sentence in zip((source, target), words, strict=True) if not sentence]
        if empty:
            remedy = "remove the pair from all files"
            error = BadLineError(number, "pairs with an empty sentence", "the sentence is empty", remedy)
            stop_or_count(error, f"{empty[0]}, line {number}", "pairs", on_bad_input, left_out)
            continue
        withheld = [path for path, sentence in zip((source, target), words, strict=True) if is_withheld(sentence)]
        if withheld:
            problem = "the words are blanked out: the corpus is shipped without its text"
            error = BadLineError(number, "pairs without their text", problem, GET_TEXT)
            stop_or_count(error, f"{withheld[0]}, line {number}", "pairs", on_bad_input, left_out)
            continue
        good = []
        for link in pair_links:
            try:
                good.append(_read_link(link, pattern, words, base or 0))
            except BadLineError as error:
                stop_or_count(error, f"{links}, line {error.line}", "links", on_bad_input, left_out)
        sure = frozenset(link for link, is_sure in good if is_sure)
        pairs.append(AlignedPair(*words, sure, frozenset(link for link, _ in good)))
    if not pairs:
        remedy = "give parallel text with one sentence on each line"
        raise InputError(source, f"holds no sentence{format_left_out(left_out)}", remedy)
    return pairs, left_out


def _lines(path: Path | str, encoding: str) -> list[str]:
    try:
        is_utf8 = codecs.lookup(encoding).name in ("utf-8", "utf-8-sig")
        lines = [line for _, line in text_lines(path)] if is_utf8 else _decoded_lines(path, encoding)
    except LookupError:
        raise InputError(f"encoding {encoding!r}", "is not a known encoding", "use utf-8 or latin-1") from None
    if lines:
        lines[0] = lines[0].removeprefix(_BYTE_ORDER_MARK)
    return lines


def _decoded_lines(path: Path | str, encoding: str) -> list[str]:
    try:
        with open_decompressed(path) as file:
            text = io.TextIOWrapper(file, encoding, newline="").read()
    except UnicodeError as error:  # not only UnicodeDecodeError: UTF-16 without a byte-order mark is another one
        raise InputError(path, f"is not encoded in {encoding}: {error}", "give the encoding of the file") from None
    # Split lines as text_lines does: str.splitlines would also split at control characters of Latin-1.
    lines = (text if "\n" in text else text.replace("\r", "\n")).split("\n")
    return [line.rstrip("\r") for line in (lines if lines[-1] else lines[:-1])]


def _words(line: str) -> tuple[str, ...]:
    """Return the words of a line, split only at ASCII spaces and tabs. Aligners do not split at a no-break space."""
    return tuple(re.findall(r"[^ \t]+", line))


def _links_in_blocks(path: Path | str, lines: list[str], pairs: int) -> list[list[_LinkText]]:
    """Return the links of each pair; each block names its pair, from 0. A pair without a block has no links."""
    blocks: list[list[_LinkText]] = [[] for _ in range(max(1, pairs))]  # at least one, to report links without a pair
    sentence = 0
    for number, line in enumerate(map(str.strip, lines), start=1):
        start = _BLOCK_START.fullmatch(line)
        if start and int(start[1]) >= pairs:
            problem = f"{line!r}, but the text has {pairs} sentences, numbered from 0"
            raise InputError(f"{path}, line {number}", problem, "give the three files of one corpus")
        if start:
            sentence = int(start[1])
        elif line:
            blocks[sentence].append((number, line))
    return blocks


def _check_base(path: Path | str, pattern: re.Pattern, links: Iterable[Iterable[_LinkText]]) -> None:
    """Raise InputError if there are links, but none of them names word 0."""
    matches = (pattern.fullmatch(text) for pair in links for _, text in pair)
    named = {int(match[side]) for match in matches if match for side in ("source", "target")}
    if named and 0 not in named:
        problem = "no link names word 0, so the words may count from 0 or from 1"
        raise InputError(path, problem, "say it: base=1, or base=0", "set corpora.alignment.base to 1 or 0")


def _read_link(
    link_text: _LinkText, pattern: re.Pattern, words: Sequence[Sequence[str]], base: int
) -> tuple[Link, bool]:
    """Return a link, from 0, and True if it is sure; raise BadLineError if the link is malformed or out of range."""
    line, text = link_text
    match = pattern.fullmatch(text)
    if not match:
        problem = f"{text!r} is not a link in the notation given"
        remedy = "write 3-4, or 3p4 for a possible link (notation: rwth)"
        raise BadLineError(line, "malformed links", problem, remedy)
    link = int(match["source"]) - base, int(match["target"]) - base
    for side, word, sentence in zip(("source", "target"), link, words, strict=True):
        if not 0 <= word < len(sentence):
            problem = (
                f"the link {text!r} points to {side} word {word + base}, "
                f"but the words are numbered {base} to {len(sentence) - 1 + base}"
            )
            remedy = f"check which file is the source, check base: {base} (0 or 1), or correct the file"
            raise BadLineError(line, "links out of range", problem, remedy)
    return link, match["kind"] in "-S"


def write_alignments(pairs: Iterable[AlignedPair], source: Path | str, target: Path | str, links: Path | str) -> None:
    """Write pairs and their links, each file whole or not at all.

    A sure link is ``i-j``, and a link that is only possible is ``ipj``. Links count from 0 and are sorted. Raise
    ValueError if a word is empty or holds a space, a tab or a line end.
    """
    lines = [(_format_words(pair.source), _format_words(pair.target), _format_links(pair)) for pair in pairs]
    for side, path in enumerate((source, target, links)):
        with replacing(path) as partial, open(partial, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(f"{line[side]}\n" for line in lines)


def _format_words(words: Sequence[str]) -> str:
    for word in words:
        if not word or re.search(r"[ \t\r\n]", word):
            raise ValueError(f"the word {word!r} cannot be written: it is empty or holds a space")
    return " ".join(words)


def _format_links(pair: AlignedPair) -> str:
    return " ".join(f"{i}{'-' if (i, j) in pair.sure else 'p'}{j}" for i, j in sorted(pair.sure | pair.possible))


def diagonal_links(pair: AlignedPair) -> frozenset[Link]:
    """Return the diagonal baseline: link each target word j of m to source word j·n/m of n.

    The index is rounded to the nearest word (halves to the even one) and limited to the last word. With this rounding,
    the alignment error rate on the German-English pairs of Biçici (2011) is 66.8%.
    """
    n, m = len(pair.source), len(pair.target)
    return frozenset((min(n - 1, round(j * n / m)), j) for j in range(m))
