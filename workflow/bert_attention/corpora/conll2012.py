"""Coreference in the files of the CoNLL-2012 shared task (Pradhan et al. 2012), which hold OntoNotes 5.

The head rules of Collins 1999 turn the files' constituency trees into dependency trees.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bert_attention.corpora.bad_lines import (
    GET_TEXT,
    ON_BAD_INPUT,
    BadLineError,
    format_left_out,
    is_withheld,
    stop_or_count,
)
from bert_attention.corpora.compressed import files_in, plain_name, text_lines
from bert_attention.corpora.conllu import NumberedLine, sentence_blocks, undo_ptb_escapes
from bert_attention.corpora.corefud import Bracket, find_mentions, match_brackets, parse_brackets
from bert_attention.corpora.head_rules import head_child
from bert_attention.corpora.tags import PENN_TAGS
from bert_attention.corpora.types import Document, Sentence, Word
from bert_attention.errors import InputError, check_choice

_FIXED_COLUMNS = 12  # further columns are arguments, one column for each predicate of the sentence
_NUMBER, _WORD, _TAG, _PARSE, _LEMMA, _COREFERENCE = 2, 3, 4, 5, 6, -1

_BEGIN = re.compile(r"#begin document \((.*)\)(?:; part (\d+))?\s*")
_END = re.compile(r"#end document\s*")
_PARSE_BIT = re.compile(r"((?:\([^()*\s]+)*)\*(\)*)")
_UNBALANCED = "unbalanced parse bits"
_NO_PARSE = {"*", "-", "_"}  # parse bits of files that were made without trees
_TREE_REMEDY = (
    "give files with the treebank's parses, as CoNLL-2012's script makes them from OntoNotes, or parse the sentences "
    "and give CorefUD (CoNLL-U with Entity= in MISC): the head of a mention comes from its tree"
)


def read_conll2012(path: Path | str, on_bad_input: str = "error") -> tuple[list[Document], Counter[str]]:
    """Read the documents of a ``*_conll`` file or of all such files below a folder, and count skipped ones, by reason.

    Each part of a document becomes a document of its own, named by document and part (``bc/cctv/00/cctv_0000 000``).
    If a folder has ``*gold_conll`` files, only these are read: the other files hold the same documents, annotated by
    programs. Trees have the relations ``root`` and ``dep``, the treebank's tags as XPOS, and no UPOS. Escapes such as
    ``-LRB-`` are undone.

    With ``on_bad_input="error"``, raise InputError at a bad line. With ``skip``, the line's document is skipped and
    counted. Bad lines have wrong columns or word numbers, words that are blanked out, a sentence without a tree, parse
    bits or coreference brackets that do not match, a document without an end, or tags that are not English. Raise
    InputError as well if a file is not in the format of CoNLL-2012, if a document occurs twice, or if no document is
    left.
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    documents: dict[str, Document] = {}
    left_out: Counter[str] = Counter()
    for file in _files(Path(path)):
        for part in _parts(file):
            try:
                document = _document(part)
            except BadLineError as error:
                stop_or_count(error, f"{file}, line {error.line}", "documents", on_bad_input, left_out)
                continue
            if document.id in documents:
                remedy = "remove one of the files, or give a folder that holds only one of them"
                raise InputError(f"{file}, line {part.line}", f"the document {document.id} occurs twice", remedy)
            documents[document.id] = document
    if not documents:
        remedy = "correct these documents" if left_out else "give a *_conll file of CoNLL-2012, or a folder of them"
        raise InputError(path, f"holds no document{format_left_out(left_out)}", remedy)
    return list(documents.values()), left_out


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    files = files_in(path, "**/*", "_conll")
    return [file for file in files if plain_name(file).endswith("gold_conll")] or files


@dataclass
class _Part:
    """Lines between ``#begin document`` (at ``line``) and ``#end document``, and the id of the whole text."""

    id: str
    text: str
    line: int
    lines: list[NumberedLine] = field(default_factory=list)
    ended: bool = False


def _parts(path: Path) -> Iterator[_Part]:
    part = None
    for number, line in text_lines(path):
        if match := _BEGIN.fullmatch(line):
            if part:
                yield part
            part = _Part(" ".join(filter(None, match.groups())), match[1], number)
        elif part and _END.fullmatch(line):
            part.ended = True
            yield part
            part = None
        elif part:
            part.lines.append((number, line))
        elif line.strip():
            problem = "is not between '#begin document (...); part ...' and '#end document'"
            raise InputError(f"{path}, line {number}", problem, "give a *_conll file of CoNLL-2012")
    if part:
        yield part


def _document(part: _Part) -> Document:
    if not part.ended:
        raise BadLineError(part.line, "documents without end", f"the document {part.id} has no '#end document'")
    sentences: list[Sentence] = []
    brackets: list[Bracket] = []
    words = 0
    for block in sentence_blocks(part.lines):
        rows = _rows(block)
        sentences.append(_sentence(rows))
        for index, (number, columns) in enumerate(rows, start=words):
            if columns[_COREFERENCE] != "-":
                brackets += parse_brackets(columns[_COREFERENCE], index, index, number)
        words += len(rows)
    if not sentences:
        raise BadLineError(part.line, "empty documents", f"the document {part.id} has no words")
    _check_is_english(part, sentences)
    mentions = find_mentions(match_brackets(brackets), sentences, singletons=False)
    return Document(part.id, tuple(sentences), mentions, part.text)


Rows = list[tuple[int, list[str]]]


def _rows(lines: Iterable[NumberedLine]) -> Rows:
    """Return the columns of each word of a sentence, validated."""
    # Split only at spaces and tabs, because a word can hold a no-break space.
    rows = [(number, re.findall(r"[^ \t]+", line)) for number, line in lines]
    expected = max(len(rows[0][1]), _FIXED_COLUMNS)
    for index, (number, columns) in enumerate(rows):
        if len(columns) != expected:
            more = "" if index else " or more"
            problem = f"has {len(columns)} columns, not {expected}{more}"
            raise BadLineError(number, "wrong number of columns", problem)
        if columns[_NUMBER] != str(index):
            problem = f"has the word number {columns[_NUMBER][:40]!r} (third column), expected {index}"
            raise BadLineError(number, "wrong word numbers", problem)
        if columns[_WORD] == "[WORD]":
            problem = "the word (fourth column) is blanked out"
            remedy = "fill the words in from OntoNotes with skeleton2conll"
            raise BadLineError(number, "words blanked out", problem, remedy)
    if is_withheld([columns[_WORD] for _, columns in rows]):
        problem = "the words (fourth column) are blanked out: the corpus is shipped without its text"
        raise BadLineError(rows[0][0], "words blanked out", problem, GET_TEXT)
    return rows


def _sentence(rows: Rows) -> Sentence:
    words = []
    for (_, columns), head in zip(rows, _heads(rows), strict=True):
        lemma = columns[_LEMMA] if columns[_LEMMA] != "-" else "_"
        relation = "dep" if head else "root"
        words.append(Word(columns[_WORD], lemma, "_", columns[_TAG], "_", head, relation))
    return undo_ptb_escapes(Sentence(tuple(words)))


def _check_is_english(part: _Part, sentences: Sequence[Sentence]) -> None:
    """Raise BadLineError if most tags of words are not English: heads and types of mentions come from rules for it."""
    tags = [word.xpos for sentence in sentences for word in sentence.words if any(map(str.isalnum, word.form))]
    others = [tag for tag in tags if tag not in PENN_TAGS]
    if 2 * len(others) > len(tags):
        problem = f"most tags (fifth column) of the document {part.id} are not those of English, such as {others[0]}"
        remedy = "give the English files: heads of mentions are found by rules for English trees"
        raise BadLineError(part.line, "documents whose tags are not English", problem, remedy)


@dataclass
class _Constituent:
    """An open constituent: the labels of its children so far and the indexes of their head words."""

    label: str
    labels: list[str] = field(default_factory=list)
    heads: list[int] = field(default_factory=list)

    def add(self, label: str, head: int) -> None:
        self.labels.append(label)
        self.heads.append(head)


def _heads(rows: Rows) -> list[int]:
    """Return each word's head as a number from 1, 0 for the root.

    A constituent's head word depends on the head word of the next larger constituent.
    """
    if all(columns[_PARSE] in _NO_PARSE for _, columns in rows):
        problem = "the sentence has no tree: no word has a constituent (sixth column)"
        raise BadLineError(rows[0][0], "documents without trees", problem, _TREE_REMEDY)
    heads = [0] * len(rows)
    stack = [_Constituent("TOP")]  # joins the fragments of a sentence that has several trees
    for index, (number, columns) in enumerate(rows):
        bit = columns[_PARSE]
        match = _PARSE_BIT.fullmatch(bit)
        if not match:
            raise BadLineError(number, _UNBALANCED, f"the parse bit {bit!r} (sixth column) must look like '(S(NP*)'")
        stack += [_Constituent(label) for label in match[1].split("(")[1:]]
        if len(stack) == 1:
            raise BadLineError(number, _UNBALANCED, "the word is in no constituent (sixth column)")
        stack[-1].add(columns[_TAG], index)
        for _ in match[2]:
            if len(stack) == 1:
                raise BadLineError(number, _UNBALANCED, f"the parse bit {bit!r} closes a constituent that is not open")
            closed = stack.pop()
            stack[-1].add(closed.label, _attach(closed, heads))
    if len(stack) > 1:
        problem = f"the sentence ends here, but the constituent {stack[-1].label} is not closed"
        raise BadLineError(rows[-1][0], _UNBALANCED, problem)
    _attach(stack[0], heads)
    return heads


def _attach(constituent: _Constituent, heads: list[int]) -> int:
    """Make the head words of the children depend on the constituent's head word, and return its index."""
    head = constituent.heads[_head_index(constituent.label, constituent.labels)]
    for child in constituent.heads:
        if child != head:
            heads[child] = head + 1
    return head


def _head_index(label: str, labels: Sequence[str]) -> int:
    """Return the index of the head child by Collins' rules. In a possessive, ignore the marker ('s).

    Collins makes the marker the head. Here a mention such as "my sister's" gets the head word "sister" and the type of
    "sister".
    """
    return head_child(label, labels[:-1] if len(labels) > 1 and labels[-1] == "POS" else labels)
