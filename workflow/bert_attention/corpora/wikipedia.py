"""Read running text of Wikipedia articles from a MediaWiki dump; mwparserfromhell parses the wiki markup."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import BinaryIO
from xml.etree import ElementTree

import mwparserfromhell
from mwparserfromhell import definitions, nodes

from bert_attention.corpora.types import LONGEST_PARAGRAPH
from bert_attention.corpora.writing_systems import ends_as_sentence

# Markers in the text during cleaning: list items, and positions where text was lost with a template.
_LIST_ITEM = "\0"
_LOST_TEXT = "\1"

_SILENT_TAGS = {"ref", "references", "br", "style", "script"}
_LOST_TAGS = {"table", "gallery", "math", "chem", "ce", "timeline", "imagemap", "source", "syntaxhighlight", "score"}
_LOST_TAGS |= {"code", "pre", "hiero"}
# Notes and marks of doubt. Those that end in "span" hold a part of the sentence.
_SILENT_TEMPLATES = re.compile(
    r"(?!.*span$)(cite|citation|sfn|harv(col)?$|refn?$|efn|rp$|r$|note|fact$|cn$|clarify|when$|who\??$|which|verify"
    r"|failed|dubious|dead link|page needed|better source|vague|anchor|original research|by whom|according to whom"
    r"|update|pov|lead)"
)
_LANGUAGE_TEMPLATE = re.compile(r"lang(-[a-z]+)?$|transl$|nowrap$|angbr$|vanchor$|smaller$|small$|nihongo$")
# A link to these pages shows nothing in the text, unless it begins with a colon. Whether a link to another language, to
# a sound or to a special page shows something depends on the wiki.
_HIDDEN_LINK = re.compile(r"\s*+(file|image|category)\s*:", re.IGNORECASE)
_UNCLEAR_LINK = re.compile(r"\s*+((?i:media|special)|[a-z]{2,3}(-[a-z]+)?)\s*:")
# What stands between two numbers of a measurement, as in {{convert|5|to|6|mi|km}}.
_BETWEEN_NUMBERS = re.compile(r"(to|and|or|by|x|×|[-–])(\(-\))?")
_NUMBER = re.compile(r"[\d.,/+]+")

# Marks that open or close something in wiki markup. The parser reads all text after a mark that is not closed again.
_MARKS = re.compile(
    r"(?m)(?P<open>\{\{|\[\[|^[ \t:]*+\{\||<!--|\[(?=\w++:|//))|(?P<close>\}\}|\]\]?+|^[ \t]*+\|\}(?!\})|-->)"
    r"|<(?P<slash>/?)(?P<tag>[A-Za-z]\w*+)(?P<attributes>[^<>]*+)(?P<end>>?)"
)
_OPENED_BY = {"}}": "{{", "]]": "[[", "]": "[", "|}": "{|", "-->": "<!--"}
_DEEPEST = 100  # marks that are open at once

# The parser takes up to 35 microseconds for each of these. At most .15 of an article were such characters in Wikipedia.
_MARK_CHARACTERS = "'*#:;<{|["
_MANY_MARKS = 10_000  # an article with fewer is read in any case
_LARGEST_SHARE_OF_MARKS = 0.2

_LEFTOVER = re.compile(r"''|\[\[|\]\]|\{|\}|\||[<>]|&#?\w+;|https?:|__|==")
_EMPTY_BRACKETS = re.compile(r" ?\( ?(?:[;,] ?)*\)")
_OPENING_COMMA = re.compile(r"\( ?(?:[;,] ?)+")

# A few kilobytes of bzip2 can hold gigabytes of one letter. MediaWiki's default maximum for a page is 2 MiB.
LONGEST_PAGE = 1 << 26  # bytes
_END_OF_PAGE = b"</page>"

# A shorter line is a caption or a stray heading rather than a paragraph.
_SHORTEST_PARAGRAPH = 40  # characters


def dump_articles(file: BinaryIO, left_out: Counter[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the title and the paragraphs of each article with running text in a MediaWiki XML dump, as a stream.

    Redirects, lists, tables, captions and headings are skipped. A paragraph with a template or formula that cannot be
    rendered here is also skipped, because it would lose part of its text. The counts ``left_out`` of skipped items, by
    reason, are updated in place. Raise ParseError of :mod:`xml.etree.ElementTree` if the file is not XML, or is
    truncated.
    """
    for title, wikitext in _pages(file, left_out):
        if wikitext.lstrip().upper().startswith("#REDIRECT"):
            left_out["redirects"] += 1
            continue
        if _depth(wikitext) > _DEEPEST:
            left_out["articles whose markup is nested too deeply"] += 1
            continue
        if sum(map(wikitext.count, _MARK_CHARACTERS)) > max(_MANY_MARKS, _LARGEST_SHARE_OF_MARKS * len(wikitext)):
            left_out["articles with more markup than text"] += 1
            continue
        try:
            text = plain_text(wikitext)
        except RecursionError:
            left_out["articles whose markup is nested too deeply"] += 1
            continue
        kept, reasons = prose_paragraphs(text)
        left_out.update(reasons)
        if kept:
            yield title, kept
        else:
            left_out["articles without running text"] += 1


def _pages(file: BinaryIO, left_out: Counter[str]) -> Iterator[tuple[str, str]]:
    """Yield title and text of each page of the main namespace. Each page is freed before the next page is read."""
    events = ElementTree.iterparse(PageLimit(file, LONGEST_PAGE), events=("start", "end"))
    _, root = next(events)
    for event, page in events:
        if event == "end" and page.tag.rpartition("}")[2] == "page":
            title, namespace = (page.findtext(f"{{*}}{name}") for name in ("title", "ns"))
            texts = page.findall("{*}revision/{*}text")
            text = texts[-1].text if texts else None  # dumps of histories have the newest revision last
            root.clear()
            if namespace == "0" and text and not title:
                left_out["pages without title"] += 1
            elif namespace == "0" and text:
                yield title, text


def _depth(wikitext: str) -> int:
    """Return how many marks of a page are open at once, at most; marks that are never closed count, too."""
    depths: Counter[str] = Counter()
    deepest = 0
    for match in _MARKS.finditer(wikitext):
        if match["tag"]:
            kind, closes = "<", bool(match["slash"])
            if not match["end"]:  # read to the end of the page, also for a tag that closes nothing
                kind, closes = "", False
            elif match["attributes"].endswith("/") or definitions.is_single(match["tag"].lower()):
                continue
        else:
            mark = (match["open"] or match["close"]).strip(" \t:")
            kind, closes = _OPENED_BY.get(mark, mark), match["open"] is None
        depths[kind] = max(0, depths[kind] - 1) if closes else depths[kind] + 1
        deepest = max(deepest, depths[kind])
    return deepest


class PageLimit:
    """File of a dump that raises an error if a page is too long."""

    def __init__(self, file: BinaryIO, longest: int):
        self._file = file
        self._longest = longest
        self._since_page = 0  # bytes
        self._tail = b""

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes, at most ``size``.

        Raise OSError if a page, or the text between two pages, is too long.
        """
        content = self._file.read(min(size, self._longest) if size >= 0 else self._longest)
        seen = self._tail + content
        page_end = seen.rfind(_END_OF_PAGE)
        self._since_page = self._since_page + len(content) if page_end < 0 else len(seen) - page_end
        self._tail = seen[-len(_END_OF_PAGE) + 1 :]
        if self._since_page > self._longest:
            raise OSError(f"a page has more than {self._longest / 1e6:.0f} MB")
        return content


def plain_text(wikitext: str) -> str:
    """Return the text of wiki markup, with control characters at list items and where text was lost."""
    return _text(mwparserfromhell.parse(wikitext))


def _text(code: mwparserfromhell.wikicode.Wikicode | None) -> str:
    return "".join(map(_node_text, code.nodes)) if code is not None else ""


def _node_text(node: nodes.Node) -> str:
    match node:
        case nodes.Text():
            return str(node)
        case nodes.HTMLEntity():
            return _character(node)
        case nodes.Heading():
            return "\n\n"
        case nodes.ExternalLink():
            return _text(node.title)
        case nodes.Wikilink():
            if _HIDDEN_LINK.match(str(node.title)):
                return ""
            if _UNCLEAR_LINK.match(str(node.title)):
                return _LOST_TEXT
            return _text(node.text) if node.text is not None else str(node.title).lstrip(":")
        case nodes.Template():
            return _template_text(node)
        case nodes.Tag():
            return _tag_text(node)
        case _:  # comments and template arguments
            return ""


def _character(entity: nodes.HTMLEntity) -> str:
    """Return the character of an entity, or the entity itself if it stands for a surrogate or a marker used here."""
    try:
        character = entity.normalize()
        character.encode("utf-8")
    except (ValueError, OverflowError):
        return str(entity)
    return str(entity) if character in (_LIST_ITEM, _LOST_TEXT) else character


def _tag_text(tag: nodes.Tag) -> str:
    name = str(tag.tag).strip().lower()
    if tag.wiki_markup is not None and str(tag.wiki_markup) in "*#;:":
        return _LIST_ITEM
    if name in _SILENT_TAGS:
        return " " if name == "br" else ""
    return _LOST_TEXT if name in _LOST_TAGS else _text(tag.contents)


def _template_text(template: nodes.Template) -> str:
    name = str(template.name).strip().lower()
    positional = [parameter.value for parameter in template.params if not parameter.showkey]
    if _SILENT_TEMPLATES.match(name):
        return ""
    if _LANGUAGE_TEMPLATE.match(name) and positional:
        return _text(positional[0] if name == "nihongo" else positional[-1])
    if name in ("convert", "cvt") and len(positional) >= 2:
        return _measurement([_text(value).strip() for value in positional])
    if name == "nbsp":
        return " "
    return "'s" if name == "'s" else _LOST_TEXT


def _measurement(values: list[str]) -> str:
    """Return a converted measurement in its first unit, such as "5 mi", "5 to 6 mi", "5-6 mi" and "6 ft 2 in"."""
    number, unit, *others = values
    between = _BETWEEN_NUMBERS.fullmatch(unit)
    if between and len(others) > 1:
        space = "" if between[1] in "-–" else " "
        number, unit = f"{number}{space}{between[1]}{space}{others[0]}", others[1]
    elif len(others) > 1 and _NUMBER.fullmatch(others[0]):
        number, unit = f"{number} {unit} {others[0]}", others[1]
    is_unit = unit and not _BETWEEN_NUMBERS.fullmatch(unit) and not _NUMBER.fullmatch(unit)
    return f"{number} {unit}" if is_unit else _LOST_TEXT


def prose_paragraphs(text: str) -> tuple[list[str], Counter[str]]:
    """Return the prose paragraphs in the output of :func:`plain_text`, and counts of skipped paragraphs, by reason."""
    kept: list[str] = []
    left_out: Counter[str] = Counter()
    for paragraph in _paragraphs(text):
        reason = _why_not_prose(paragraph)
        if reason:
            left_out[reason] += 1
        else:
            kept.append(paragraph)
    return kept, left_out


def _paragraphs(text: str) -> Iterator[str]:
    """Join lines up to the next blank line or list item. A line with only a lost template also ends a paragraph."""
    lines: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line.strip(_LOST_TEXT + " \t") and not line.startswith(_LIST_ITEM):
            lines.append(line)
        elif lines:
            yield _tidy(" ".join(lines))
            lines = []


def _tidy(paragraph: str) -> str:
    """Make spaces single, and repair brackets that held a pronunciation or a reference."""
    single_spaced = " ".join(paragraph.split())  # patterns are slow in long runs of spaces
    repaired = _OPENING_COMMA.sub("(", _EMPTY_BRACKETS.sub("", single_spaced))
    return " ".join(repaired.split())


def _why_not_prose(paragraph: str) -> str | None:
    if len(paragraph) > LONGEST_PARAGRAPH:
        return f"paragraphs of more than {LONGEST_PARAGRAPH} characters"
    if _LOST_TEXT in paragraph:
        return "paragraphs with a template or formula that cannot be rendered"
    if _LEFTOVER.search(paragraph):
        return "paragraphs with broken markup"
    if len(paragraph) < _SHORTEST_PARAGRAPH or not ends_as_sentence(paragraph):
        return "captions and other fragments"
    return None
