"""Coreference in the format of CorefUD and GUM: CoNLL-U with brackets around mentions in MISC (``Entity=``).

A bracket holds fields separated by hyphens, in the order that ``# global.Entity`` lists. Only the chain (``eid`` or
``GRP``) is read. The heads of mentions come from the trees. ``(e1-person`` opens a mention, ``e1)`` closes it, and
``(e1-person)`` does both. ``(e1[1/2]`` opens the first of two parts of a discontinuous mention.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bert_attention.corpora.bad_lines import ON_BAD_INPUT, BadLineError, format_left_out, stop_or_count
from bert_attention.corpora.compressed import files_of, plain_name, text_lines
from bert_attention.corpora.conllu import (
    NumberedLine,
    check_parsed,
    format_sentence,
    is_opening_comment,
    new_document,
    opening_comments,
    parse_sentence,
    sentence_blocks,
    text_of_document,
)
from bert_attention.corpora.tags import PENN_TAGS
from bert_attention.corpora.types import Document, Mention, MentionType, Sentence, Word
from bert_attention.errors import InputError, check_choice
from bert_attention.files import part_of, replacing

_FIELDS = re.compile(r"#\s*+global\.Entity\s*+=\s*+(.*)")
_ID_FIELDS = {"eid", "GRP"}
# A document with more mentions that are open, or lack a part, at one word is damaged, or an attack on the memory.
_MOST_OPEN = 200

_BRACKET = re.compile(r"(\(?)([^()]*)(\)?)")
_PART = re.compile(r"([^\[\]]+)\[(\d{1,9})/(\d{1,9})\]", re.ASCII)
_CHAIN = re.compile(r"[^-=|()\[\]\s]+")

# If the head has no tag of the Penn Treebank, UPOS decides the type of a mention.
_TYPES: dict[str, MentionType] = {"PRP": "pronoun", "PRP$": "pronoun", "NNP": "proper", "NNPS": "proper"}
_UPOS_TYPES: dict[str, MentionType] = {"PRON": "pronoun", "PROPN": "proper"}


@dataclass(frozen=True)
class Bracket:
    """An opening bracket, a closing bracket, or both in one.

    An opened mention starts with the word ``first``, and a closed mention ends with the word ``last``. The two differ
    only at an empty node, which lies between two words. ``part`` is (1, 1) unless the mention is discontinuous.
    """

    chain: str
    part: tuple[int, int]
    opens: bool
    closes: bool
    first: int
    last: int
    line: int


@dataclass(frozen=True)
class Span:
    """Words of a mention, with the line of its first bracket."""

    chain: str
    words: tuple[int, ...]
    line: int


def read_corefud(
    path: Path | str, on_bad_input: str = "error", singletons: bool = False, part: Sequence[int] | None = None
) -> tuple[list[Document], Counter[str]]:
    """Read documents with ``Entity=`` in MISC, and count what was skipped, by reason.

    ``path`` is a CoNLL-U file, or a folder or a pattern, whose files ``*.conllu`` are all read, or a list of these. A
    document starts at ``# newdoc id``. Sentences before the first such comment form a document named by the file's
    stem. Brackets, ``# newdoc`` and ``# global.Entity`` are removed from the sentences, because the document holds
    their content. A mention that covers only empty nodes has no words, so it is skipped and counted. Chains of one
    mention are kept if ``singletons`` is True. ``part`` has the indices of the documents to read.

    With ``on_bad_input="error"``, raise InputError at a bad line. With ``skip``, the line's document is skipped and
    counted. Bad lines are those of :func:`~bert_attention.corpora.conllu.read_conllu`, brackets that do not match, have
    no id or lack a part, too many open brackets, and mentions across sentences. Raise InputError as well if no document
    is left, two documents have the same id, or the trees are not parses.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    documents: list[Document] = []
    left_out: Counter[str] = Counter()
    files = files_of(path, ".conllu")
    places: dict[str, str] = {}
    for file, source in part_of(((each, source) for each in files for source in _sources(each)), part):
        place = f"{file}, line {source.line}"
        if places.setdefault(source.id, place) != place:
            remedy = "remove one of them, or give the documents different ids"
            raise InputError(place, f"the document {source.id} occurs a second time, after {places[source.id]}", remedy)
        try:
            document, empty_mentions = _document(source, singletons)
            documents.append(document)
            left_out["mentions of empty nodes"] += empty_mentions
        except BadLineError as error:
            stop_or_count(error, f"{file}, line {error.line}", "documents", on_bad_input, left_out)
    if not documents and part is None:
        remedy = "correct these documents" if left_out else "give a CoNLL-U file with coreference (Entity=) in MISC"
        raise InputError(path, f"holds no document{format_left_out(left_out)}", remedy)
    if part is None:
        check_parsed(path, (sentence for document in documents for sentence in document.sentences))
    return documents, +left_out


@dataclass(frozen=True)
class _Source:
    """Numbered lines of a document's sentences, and the fields of its brackets with the line that lists the fields."""

    line: int
    id: str
    fields: tuple[int, str]
    sentences: list[list[NumberedLine]]


def _sources(path: Path) -> Iterator[_Source]:
    stem = Path(plain_name(path)).stem
    start, name, fields, sentences = 1, stem, (0, "GRP"), []
    started = 0
    for lines in sentence_blocks(text_lines(path)):
        for number, line in lines:
            if (document := new_document(line)) is not None:
                if sentences:
                    yield _Source(start, name, fields, sentences)
                started += 1
                start, name, sentences = number, document or f"{stem}-{started}", []
            elif (listed := _fields(line)) is not None:
                fields = (number, listed)
        sentences.append(lines)
    if sentences:
        yield _Source(start, name, fields, sentences)


def _fields(line: str) -> str | None:
    """Return the fields of brackets that a comment lists (``# global.Entity = eid-etype``), or None."""
    match = _FIELDS.fullmatch(line.rstrip()) if line.startswith("#") else None
    return match[1] if match else None


def _document(source: _Source, singletons: bool) -> tuple[Document, int]:
    """Return the document, and the number of mentions skipped because they cover only empty nodes."""
    id_field = _id_field(*source.fields)
    sentences: list[Sentence] = []
    brackets: list[Bracket] = []
    words = 0
    for lines in source.sentences:
        sentence = parse_sentence(lines)
        brackets += _sentence_brackets(lines, words, id_field)
        sentences.append(_without_brackets(sentence))
        words += len(sentence.words)
    spans = match_brackets(brackets)
    mentions = find_mentions([span for span in spans if span.words], sentences, singletons)
    text = text_of_document(source.sentences[0])
    return Document(source.id, tuple(sentences), mentions, text), sum(not span.words for span in spans)


def _id_field(line: int, fields: str) -> int:
    for index, field in enumerate(fields.split("-")):
        if field in _ID_FIELDS:
            return index
    raise BadLineError(
        line, "fields without a chain", f"the fields of global.Entity are {fields!r}, but eid or GRP is missing"
    )


def _sentence_brackets(lines: list[NumberedLine], start: int, id_field: int) -> Iterator[Bracket]:
    """Yield the brackets of a sentence whose first word has the index ``start`` in its document."""
    index = start - 1
    for number, line in lines:
        if line.startswith("#"):
            continue
        columns = line.split("\t")
        empty, several = "." in columns[0], "-" in columns[0]
        index += not empty and not several
        value = _entity(columns[-1])
        if value is None:
            continue
        if several:
            raise BadLineError(number, "brackets at multiword tokens", "Entity= is at a multiword token, not at a word")
        yield from parse_brackets(value, index + empty, index, number, id_field)


def _entity(misc: str) -> str | None:
    for attribute in misc.split("|"):
        if attribute.startswith("Entity="):
            return attribute.removeprefix("Entity=")
    return None


def parse_brackets(value: str, first: int, last: int, line: int, id_field: int = 0) -> Iterator[Bracket]:
    """Yield the brackets of one word, such as ``(12(e3-person)``, with or without ``|`` between them.

    A closing bracket holds either only the id or the fields up to the id. Raise BadLineError if there is text outside
    brackets, a bracket without an id, or an impossible part such as 3 of 2.
    """
    for opening, content, closing in _BRACKET.findall(value.replace("|", "")):
        if not opening and not closing:
            if content:
                raise BadLineError(line, "text outside brackets", f"{content!r} in {value!r} belongs to no bracket")
            continue  # findall ends with an empty match
        fields = content.split("-")
        name = fields[0] if len(fields) == 1 else fields[id_field] if id_field < len(fields) else ""
        match = _PART.fullmatch(name)
        chain, part = (match[1], (int(match[2]), int(match[3]))) if match else (name, (1, 1))
        if not chain:
            raise BadLineError(line, "brackets without an id", f"a bracket in {value!r} has no id")
        if not 1 <= part[0] <= part[1]:
            raise BadLineError(
                line, "parts of mentions missing", f"there is no part {part[0]} of {part[1]} ({value!r})"
            )
        yield Bracket(chain, part, bool(opening), bool(closing), first, last, line)


def match_brackets(brackets: Iterable[Bracket]) -> list[Span]:
    """Return the spans that brackets, given in word order, enclose.

    A closing bracket belongs to the last bracket of its chain that is still open. Raise BadLineError if a mention is
    closed but not opened, or opened but not closed, or lacks a part, or if more than ``_MOST_OPEN`` mentions are open.
    """
    unmatched = 0  # mentions that are open or lack a part
    open_brackets: dict[tuple[str, tuple[int, int]], list[Bracket]] = defaultdict(list)
    incomplete: dict[tuple[str, int], list[list[Span]]] = defaultdict(list)
    spans = []
    for bracket in brackets:
        key = (bracket.chain, bracket.part)
        if bracket.opens:
            open_brackets[key].append(bracket)
            unmatched += 1
            if unmatched > _MOST_OPEN:
                problem = f"more than {_MOST_OPEN} mentions are open or lack a part"
                raise BadLineError(bracket.line, "too many open brackets", problem)
        if not bracket.closes:
            continue
        if not open_brackets[key]:
            problem = f"a mention of chain {bracket.chain} is closed but was not opened"
            raise BadLineError(bracket.line, "brackets not opened", problem)
        opening = open_brackets[key].pop()
        span = Span(bracket.chain, tuple(range(opening.first, bracket.last + 1)), opening.line)
        whole = _with_earlier_parts(span, bracket.part, incomplete[bracket.chain, bracket.part[1]])
        if whole:
            unmatched -= bracket.part[1]
            spans.append(whole)
    unclosed = [bracket for stack in open_brackets.values() for bracket in stack]
    if unclosed:
        first = min(unclosed, key=lambda bracket: bracket.line)
        raise BadLineError(
            first.line, "brackets not closed", f"the mention of chain {first.chain} that opens here is not closed"
        )
    unfinished = [(parts[0], total) for (_, total), stack in incomplete.items() for parts in stack]
    if unfinished:
        span, total = min(unfinished, key=lambda item: item[0].line)
        problem = f"the mention of chain {span.chain} that opens here lacks some of its {total} parts"
        raise BadLineError(span.line, "parts of mentions missing", problem)
    return spans


def _with_earlier_parts(span: Span, part: tuple[int, int], incomplete: list[list[Span]]) -> Span | None:
    """Return the mention that a part completes, or None; ``incomplete`` holds the parts of unfinished mentions."""
    number, total = part
    if total == 1:
        return span
    if number == 1:
        incomplete.append([span])
        return None
    parts = next((parts for parts in reversed(incomplete) if len(parts) == number - 1), None)
    if parts is None:
        problem = f"part {number} of {total} of a mention of chain {span.chain} comes without part {number - 1}"
        raise BadLineError(span.line, "parts of mentions missing", problem)
    parts.append(span)
    if number < total:
        return None
    incomplete.remove(parts)
    return Span(span.chain, tuple(sorted({word for part in parts for word in part.words})), parts[0].line)


def find_mentions(spans: Sequence[Span], sentences: Sequence[Sentence], singletons: bool) -> tuple[Mention, ...]:
    """Return the mentions of a document from their spans, in order of their first, then their last word.

    The head of a mention is its highest word in the tree: the first word whose own head is outside the mention. Raise
    BadLineError if a mention crosses the end of a sentence, or a chain has two mentions of the same words.
    """
    words = [word for sentence in sentences for word in sentence.words]
    sentence_of = [index for index, sentence in enumerate(sentences) for _ in sentence.words]
    head_of = _heads_in_document(sentences)
    seen = set()
    mentions = []
    for span in spans:
        if sentence_of[span.words[0]] != sentence_of[span.words[-1]]:
            problem = f"a mention of chain {span.chain} is in two sentences"
            raise BadLineError(span.line, "mentions across sentences", problem)
        if (span.chain, span.words) in seen:
            problem = f"chain {span.chain} has two mentions of the same words"
            raise BadLineError(span.line, "mentions given twice", problem)
        seen.add((span.chain, span.words))
        inside = set(span.words)
        head = next(word for word in span.words if head_of[word] not in inside)
        mentions.append(Mention(span.chain, span.words, head, mention_type(words[head])))
    sizes = Counter(mention.chain for mention in mentions)
    kept = [mention for mention in mentions if singletons or sizes[mention.chain] > 1]
    return tuple(sorted(kept, key=lambda mention: (mention.words[0], mention.words[-1], mention.words, mention.chain)))


def _heads_in_document(sentences: Iterable[Sentence]) -> list[int | None]:
    """Return the index of each word's head in the document, None for roots."""
    heads: list[int | None] = []
    for sentence in sentences:
        start = len(heads)
        heads += [start + word.head - 1 if word.head else None for word in sentence.words]
    return heads


def mention_type(head: Word) -> MentionType:
    """Return a mention's type by its head's tag: PRP and PRP$ are pronouns, NNP and NNPS names, all others nominals.

    If the tag is not a tag of the Penn Treebank, UPOS decides: PRON and PROPN.
    """
    if head.xpos in PENN_TAGS:
        return _TYPES.get(head.xpos, "nominal")
    return _UPOS_TYPES.get(head.upos, "nominal")


def write_corefud(documents: Iterable[Document], path: Path | str) -> None:
    """Write documents as CoNLL-U with ``Entity=`` in MISC, whole or not at all.

    Brackets hold only the chain (``# global.Entity = GRP``). Reading the file returns the same documents if the heads
    and types of mentions agree with the trees. Raise InputError if the name of a chain cannot be written in a bracket,
    or a mention is in two sentences or given twice. Raise InputError as well if two mentions of a chain cross, or their
    parts interlock, so that brackets cannot distinguish the mentions.
    """
    with replacing(path) as partial, open(partial, "w", encoding="utf-8") as file:
        for document in documents:
            file.writelines(map(format_sentence, _with_brackets(document)))


def _with_brackets(document: Document) -> Iterator[Sentence]:
    values = _entity_values(document)
    _check_read_back(document, values)
    header: tuple[str, ...] = (*opening_comments(document.id, document.text), "# global.Entity = GRP")
    index = 0
    for sentence in map(_without_brackets, document.sentences):
        words = []
        for word in sentence.words:
            words.append(replace(word, misc=_add_entity(word.misc, values[index])) if values[index] else word)
            index += 1
        yield replace(sentence, words=tuple(words), comments=header + sentence.comments)
        header = ()


def _entity_values(document: Document) -> list[str]:
    """Return the brackets of each word in CorefUD's order: longer mentions open first and close last."""
    opening, single, closing = defaultdict(list), defaultdict(list), defaultdict(list)
    for mention in document.mentions:
        if not _CHAIN.fullmatch(mention.chain):
            remedy = "use chain names without hyphens, brackets, spaces, '=' and '|'"
            raise InputError(
                f"document {document.id}", f"the chain {mention.chain!r} cannot be written in Entity=", remedy
            )
        runs = _runs(mention.words)
        for number, (first, last) in enumerate(runs, start=1):
            name = mention.chain if len(runs) == 1 else f"{mention.chain}[{number}/{len(runs)}]"
            if first == last:
                single[first].append(f"({name})")
            else:
                opening[first].append((-last, f"({name}"))
                closing[last].append((-first, f"{name})"))
    values = []
    for index in range(sum(len(sentence.words) for sentence in document.sentences)):
        opened = [text for _, text in sorted(opening[index])]
        closed = [text for _, text in sorted(closing[index])]
        alone = sorted(single[index])
        values.append("".join(closed + opened + alone if opened else alone + closed))
    return values


def _runs(words: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return the first and last word of each run of consecutive words."""
    starts = [index for index, word in enumerate(words) if index == 0 or word != words[index - 1] + 1]
    return [(words[start], words[stop - 1]) for start, stop in zip(starts, [*starts[1:], len(words)], strict=True)]


def _check_read_back(document: Document, values: list[str]) -> None:
    """Raise InputError unless reading the brackets returns all mentions of the document."""
    brackets = [bracket for index, value in enumerate(values) for bracket in parse_brackets(value, index, index, 0)]
    remedy = "correct or remove the mention"
    try:
        read_back = find_mentions(match_brackets(brackets), document.sentences, singletons=True)
    except BadLineError as error:
        raise InputError(f"document {document.id}", error.problem, remedy) from None
    lost = {(mention.chain, mention.words) for mention in document.mentions}
    lost -= {(mention.chain, mention.words) for mention in read_back}
    if lost:
        chain, words = min(lost, key=lambda mention: mention[1])
        problem = f"two mentions of chain {chain} cross (the first at word {words[0]}), which brackets cannot express"
        raise InputError(f"document {document.id}", problem, remedy)


def _without_brackets(sentence: Sentence) -> Sentence:
    """Return the sentence without the content that its document holds: the document's id, bracket fields, brackets."""
    words = tuple(
        replace(word, misc=_drop_entity(word.misc)) if "Entity=" in word.misc else word for word in sentence.words
    )
    others = []
    for index, line in sentence.other_lines:
        start, tab, misc = line.rpartition("\t")
        others.append((index, start + tab + _drop_entity(misc)))
    comments = tuple(line for line in sentence.comments if not is_opening_comment(line) and _fields(line) is None)
    return Sentence(words, comments, tuple(others))


def _drop_entity(misc: str) -> str:
    return "|".join(attribute for attribute in misc.split("|") if not attribute.startswith("Entity=")) or "_"


def _add_entity(misc: str, value: str) -> str:
    """Add brackets to MISC, before the first attribute that follows ``Entity`` alphabetically."""
    attributes = [] if misc == "_" else misc.split("|")
    entity = f"Entity={value}"
    index = next((index for index, attribute in enumerate(attributes) if attribute > entity), len(attributes))
    return "|".join([*attributes[:index], entity, *attributes[index:]])


def read_documents(path: Path | str, part: Sequence[int] | None = None) -> list[Document]:
    """Read all documents of a file, or only those in ``part``; errors are as in :func:`read_corefud`."""
    return read_corefud(path, part=part)[0]
