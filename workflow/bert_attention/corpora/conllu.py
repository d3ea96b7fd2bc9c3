"""Read CoNLL-U, with errors that name file and line, and write CoNLL-U.

Everything in the format is kept: comments, multiword tokens, empty nodes, every column. CoNLL-X, the usual format of
Stanford Dependencies, has the same columns and is read in the same way. The parsers on PyPI neither name the line of a
mistake nor check that the heads form a tree.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, groupby
from pathlib import Path
from types import MappingProxyType

from bert_attention.corpora.bad_lines import (
    GET_TEXT,
    ON_BAD_INPUT,
    BadLineError,
    format_left_out,
    is_withheld,
    stop_or_count,
)
from bert_attention.corpora.compressed import files_of, text_lines
from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError, check_choice
from bert_attention.files import part_of, replacing

NumberedLine = tuple[int, str]

_COLUMNS = 10
_LONGEST_NUMBER = 9  # digits; no word has a longer number
_NEW_DOCUMENT = re.compile(r"#\s*+newdoc(?:\s++id\s*+=\s*+(\S.*)?)?")
_PART_OF = "# part_of ="  # comment with the id of the text of which a document is a part
_ENDINGS = (".conllu", ".conllx", ".conll")
# The parts of a treebank in the names of Universal Dependencies.
_PART_OF_TREEBANK = re.compile(r"-ud-(train|dev|test)\b")
_MANY_FILES = 20  # this many files are texts of their own; fewer may be one corpus that was split at random
_FEWEST_CHAINED = 20  # words; if every head is the word before in as many, the trees are no parses
_OTHER_ID = re.compile(r"\d+-\d+|\d+\.\d+")  # the id of a multiword token or of an empty node

# The Penn Treebank's escapes of brackets and quotes.
_PTB_ESCAPES = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}"}
_PTB_ESCAPES |= {"``": '"', "''": '"', "/.": ".", "/?": "?", "/-": "-"}  # those with a slash are OntoNotes'


def read_conllu(
    path: Path | str, on_bad_input: str = "error", part: Sequence[int] | None = None
) -> tuple[list[Sentence], Counter[str]]:
    """Read the sentences of a treebank in CoNLL-U or CoNLL-X, and count the skipped sentences, by reason.

    ``path`` is a file, a folder or a pattern (``trees/*-train*.conllu``), whose files ``*.conllu``, ``*.conllx`` and
    ``*.conll`` are read in the order of their names, or a list of these. With several files, each is at least one
    document if one of them has ``# newdoc``, or if there are at least 20.

    With ``on_bad_input="error"``, raise InputError, which names the line, at a bad sentence. With ``skip``, the
    sentence is skipped and counted. ``part`` has the indices of the sentences to read. Raise InputError as well if a
    file is not UTF-8, no sentence is left, the trees are not parses (:func:`check_parsed`), two files have a document
    of the same id, or a folder or pattern has files of several parts of a treebank (train, dev, test).
    """
    check_choice("on_bad_input", on_bad_input, ON_BAD_INPUT)
    files = files_of(path, *_ENDINGS)
    _check_one_part(path, files)
    sentences: list[Sentence] = []
    documents: list[tuple[int, int]] = []
    left_out: Counter[str] = Counter()
    for file, document, block in part_of(_numbered_by_document(files), part):
        try:
            sentences.append(parse_sentence(block))
            documents.append(document)
        except BadLineError as error:
            stop_or_count(error, f"{file}, line {error.line}", "sentences", on_bad_input, left_out)
    if not sentences and part is None:
        raise _no_sentence_error(path, left_out)
    if part is None:
        check_parsed(path, sentences)
    numbers = _document_numbers(documents, len(files))
    return [replace(tree, document=number) for tree, number in zip(sentences, numbers, strict=True)], left_out


def _check_one_part(path: Path | str | Sequence[Path | str], files: Sequence[Path]) -> None:
    """Raise InputError if a folder or pattern has files of several parts of a treebank, which must not be mixed."""
    parts = sorted({match[1] for file in files if (match := _PART_OF_TREEBANK.search(file.name))})
    if len(parts) > 1 and isinstance(path, Path | str):
        remedy = f"give one part: {files[0].parent}/*-ud-{parts[-1]}*.conllu"
        raise InputError(path, f"holds the parts {' and '.join(parts)} of a treebank", remedy)


def _numbered_by_document(files: Sequence[Path]) -> Iterator[tuple[Path, tuple[int, int], list[NumberedLine]]]:
    """Yield each sentence's file, document and lines; the document is the file's number and the number in the file.

    A document's number is 0 before the first ``# newdoc`` of a file. Raise InputError if two files have a document of
    the same id.
    """
    file_of: dict[str, Path] = {}
    for index, file in enumerate(files):
        document = 0
        for block in sentence_blocks(text_lines(file)):
            if _begins_document(block):
                document += 1
                name = _document_id(block)
                if name and len(files) > 1 and file_of.setdefault(name, file) != file:
                    remedy = "remove one of the files, or give the documents different ids"
                    raise InputError(file, f"holds the document {name}, as {file_of[name]} does", remedy)
            yield file, (index, document), block


def _document_numbers(documents: Sequence[tuple[int, int]], files: int) -> list[int]:
    """Return the number of each sentence's document in the treebank, or 0 for all if no documents are known."""
    if files == 1:
        return [number for _, number in documents]
    if files < _MANY_FILES and not any(number for _, number in documents):
        return [0] * len(documents)
    number_of = {document: number for number, document in enumerate(dict.fromkeys(documents), start=1)}
    return [number_of[document] for document in documents]


def check_parsed(path: object, sentences: Iterable[Sentence]) -> None:
    """Raise InputError if the head of every word is the word before.

    Stanza writes such heads for a document that it did not parse. "Attends to the previous word" would be a perfect
    parser of them.
    """
    heads = [(word.head, index) for sentence in sentences for index, word in enumerate(sentence.words)]
    if sum(head > 0 for head, _ in heads) >= _FEWEST_CHAINED and all(head == before for head, before in heads):
        remedy = "parse the text; Stanza, for example, needs the processor depparse"
        raise InputError(path, "has no parses: the head of every word is the word before", remedy)


def _no_sentence_error(path: Path | str, left_out: Mapping[str, int] = MappingProxyType({})) -> InputError:
    remedy = "correct these sentences" if left_out else "give a file in CoNLL-U or CoNLL-X"
    return InputError(path, f"holds no sentence{format_left_out(left_out)}", remedy)


def documents_of(path: Path | str) -> list[Hashable]:
    """Return the document of each text that :func:`words_of_corpus` returns, without parsing the texts.

    For sentences, this is the document's number; in a treebank without documents (``# newdoc``), each sentence has its
    own number. For documents, this is the id of the whole text (:attr:`bert_attention.corpora.types.Document.text_id`).
    Raise InputError if there is no text.
    """
    first_sentences = [text[0] for text in _texts(path)]
    if not first_sentences:
        raise _no_sentence_error(path)
    if _units_are_documents(path):
        return [text_of_document(lines) or _document_id(lines) for lines in first_sentences]
    begins = list(map(_begins_document, first_sentences))
    return list(accumulate(begins)) if any(begins) else list(range(len(begins)))


def _units_are_documents(path: Path | str) -> bool:
    """Return True if the units of a corpus that was cut for a model are documents, not sentences."""
    return Path(path).stem == "coreference"


def _document_id(lines: Iterable[NumberedLine]) -> str:
    found = (new_document(line) for _, line in lines)
    return next((name for name in found if name is not None), "")


def new_document(line: str) -> str | None:
    """Return the id of the document that a comment begins (``# newdoc id = d``), empty if it has none, or None."""
    match = _NEW_DOCUMENT.fullmatch(line.rstrip()) if line.startswith("#") else None
    return (match[1] or "") if match else None


def text_of_document(lines: Iterable[NumberedLine]) -> str:
    """Return the id of the text of which a document is a part (``# part_of = t``), or an empty text."""
    return next((line.removeprefix(_PART_OF).strip() for _, line in lines if line.startswith(_PART_OF)), "")


def opening_comments(document: str, text: str) -> list[str]:
    """Return the comments that begin a document, with the id of its text if it is a part of one."""
    return [f"# newdoc id = {document}", *([f"{_PART_OF} {text}"] if text and text != document else [])]


def is_opening_comment(line: str) -> bool:
    """Return True if a line is one of the comments that begin a document."""
    return new_document(line) is not None or line.startswith(_PART_OF)


def clusters_of_sentences(sentences: Sequence[Sentence]) -> list[int]:
    """Return the document number of each sentence, or one number per sentence if the treebank has no documents."""
    documents = [sentence.document for sentence in sentences]
    return documents if any(documents) else list(range(len(documents)))


def words_of_corpus(path: Path | str, part: Sequence[int] | None = None) -> list[tuple[str, ...]]:
    """Return the words of each document of a corpus cut for a model (``coreference.conllu``), else of each sentence.

    ``part`` has the indices of the documents or sentences to read. The errors are those of :func:`read_conllu`.
    """
    texts = []
    for text in part_of(_texts(path), part):
        try:
            texts.append(tuple(form for block in text for form in parse_sentence(block).forms))
        except BadLineError as error:
            stop_or_count(error, f"{path}, line {error.line}", "sentences", "error", Counter())
    if not texts and part is None:
        raise _no_sentence_error(path)
    return texts


def _texts(path: Path | str) -> Iterator[list[list[NumberedLine]]]:
    """Yield the lines of each document's sentences (``coreference.conllu``) or of each sentence (any other corpus)."""
    units_are_documents = _units_are_documents(path)
    text: list[list[NumberedLine]] = []
    for block in sentence_blocks(text_lines(path)):
        if text and (not units_are_documents or _begins_document(block)):
            yield text
            text = []
        text.append(block)
    if text:
        yield text


def _begins_document(block: Iterable[NumberedLine]) -> bool:
    return any(new_document(line) is not None for _, line in block)


def sentence_blocks(lines: Iterable[NumberedLine]) -> Iterator[list[NumberedLine]]:
    """Yield the lines of each sentence; sentences end at an empty line."""
    for is_filled, block in groupby(lines, key=lambda line: bool(line[1].strip())):
        if is_filled:
            yield list(block)


def parse_sentence(lines: Iterable[NumberedLine]) -> Sentence:
    """Parse the numbered lines of a sentence.

    Raise BadLineError if a line does not have ten columns, ids do not count from 1, a word or a relation is empty, all
    words are blanked out, a head is not a word of the sentence, or the heads do not form a tree with one root.
    """
    comments: list[str] = []
    others: list[tuple[int, str]] = []
    words: list[Word] = []
    numbers: list[int] = []
    number = 0
    for number, line in lines:
        if line.startswith("#"):
            comments.append(line)
            continue
        columns = line.split("\t")
        if len(columns) != _COLUMNS:
            found = "1 column" if len(columns) == 1 else f"{len(columns)} columns"
            problem = f"has {found} separated by tabs, not {_COLUMNS}"
            raise BadLineError(number, "wrong number of columns", problem, _column_remedy(line))
        if _OTHER_ID.fullmatch(columns[0]):
            others.append((len(words), line))
            continue
        if columns[0] != str(len(words) + 1):
            problem = f"has the id {columns[0][:40]!r}, expected {len(words) + 1}"
            remedy = "number the words of each sentence from 1, and put an empty line between sentences"
            raise BadLineError(number, "wrong ids", problem, remedy)
        words.append(_word(columns, number))
        numbers.append(number)
    if not words:
        raise BadLineError(number, "empty sentences", "the sentence has no words")
    if is_withheld([word.form for word in words]):
        problem = "the words (second column) are blanked out: the corpus is shipped without its text"
        raise BadLineError(numbers[0], "sentences without their text", problem, GET_TEXT)
    check_tree(words, numbers)
    return Sentence(tuple(words), tuple(comments), tuple(others))


def _column_remedy(line: str) -> str:
    if line.lstrip().startswith("("):
        return "convert the file to CoNLL-X, for example with the Stanford Parser; it looks like bracketed trees"
    if len(line.split()) > _COLUMNS + 1 and "\t" not in line and line.split()[2].isdecimal():
        return "give CoNLL-U or CoNLL-X; it looks like CoNLL-2012, which is for coreference"
    if len(line.split()) == _COLUMNS:
        return "separate the columns by tabs, not by spaces"
    if len(line.split("\t")) == _COLUMNS + 4 or len(line.split("\t")) == _COLUMNS + 5:
        return "convert the file to CoNLL-U; it looks like CoNLL-2009, which has 14 columns or more"
    return "give ten columns in each line, and an empty line between sentences"


def _word(columns: list[str], number: int) -> Word:
    form, lemma, upos, xpos, feats, head, relation, deps, misc = columns[1:]
    if not form:
        raise BadLineError(number, "empty words", "the word (second column) is empty")
    if not head.isascii() or not head.isdecimal() or len(head) > _LONGEST_NUMBER:
        problem = f"the head (seventh column) is {head[:40]!r}, expected the number of a word, or 0 for the root"
        remedy = "parse the text first: the file has words but no trees" if head == "_" else "correct the file"
        raise BadLineError(number, "heads out of range", problem, remedy)
    if not relation.partition(":")[0].strip():
        raise BadLineError(number, "empty relations", f"the relation (eighth column) is {relation!r}, expected a name")
    return Word(form, lemma, upos, xpos, feats, int(head), relation, deps, misc)


def check_tree(words: list[Word], numbers: list[int]) -> None:
    """Raise BadLineError unless every word has the same single root above it."""
    roots = [number for number, word in enumerate(words, start=1) if word.head == 0]
    for word, number in zip(words, numbers, strict=True):
        if not 0 <= word.head <= len(words):
            problem = f"the head is {word.head}, but the sentence has {len(words)} words"
            raise BadLineError(number, "heads out of range", problem)
    if len(roots) > 1:
        problem = f"is a second root: word {roots[0]} is a root, too"
        remedy = "give the sentence exactly one root, as CoNLL-U requires"
        raise BadLineError(numbers[roots[1] - 1], "several roots", problem, remedy)
    reached = {0}
    for start in range(1, len(words) + 1):
        path: dict[int, None] = {}  # a dict as an ordered set
        word_number = start
        while word_number not in reached:
            if word_number in path:
                problem = f"word {word_number} is its own ancestor: its heads form a cycle"
                raise BadLineError(numbers[word_number - 1], "cycles", problem)
            path[word_number] = None
            word_number = words[word_number - 1].head
        reached.update(path)


def format_sentence(sentence: Sentence) -> str:
    """Return the lines of a sentence, with the empty line that ends it."""
    lines = list(sentence.comments)
    others = deque(sentence.other_lines)
    for index, word in enumerate(sentence.words):
        while others and others[0][0] == index:
            lines.append(others.popleft()[1])
        columns = (word.form, word.lemma, word.upos, word.xpos, word.feats, str(word.head), word.relation, word.deps)
        lines.append("\t".join((str(index + 1), *columns, word.misc)))
    lines += [line for _, line in others]
    return "\n".join(lines) + "\n\n"


def write_conllu(sentences: Iterable[Sentence], path: Path | str) -> None:
    """Write sentences as CoNLL-U, whole or not at all.

    The first sentence of each document has a comment ``# newdoc``, even if the original first sentence was skipped.
    """
    with replacing(path) as partial, open(partial, "w", encoding="utf-8") as file:
        file.writelines(map(format_sentence, _with_documents(sentences)))


def _with_documents(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    before = 0
    for sentence in sentences:
        begins, has_comment = (
            sentence.document != before,
            any(new_document(line) is not None for line in sentence.comments),
        )
        opening = ("# newdoc",) if begins and not has_comment else ()
        yield replace(sentence, comments=(*opening, *sentence.comments))
        before = sentence.document


def fold_relations(sentence: Sentence) -> Sentence:
    """Return the sentence without the subtypes of relations: ``nmod:poss`` becomes ``nmod``."""
    words = (replace(word, relation=word.relation.partition(":")[0]) for word in sentence.words)
    return replace(sentence, words=tuple(words))


def undo_ptb_escapes(sentence: Sentence) -> Sentence:
    """Return the sentence with the Penn Treebank's escapes of brackets, quotes and slashes undone in its words."""
    words = []
    for word in sentence.words:
        form = _PTB_ESCAPES.get(word.form) or word.form.replace(r"\/", "/").replace(r"\*", "*")
        words.append(replace(word, form=form))
    return replace(sentence, words=tuple(words))


def read_trees(path: Path | str, part: Sequence[int] | None = None) -> list[Sentence]:
    """Read all sentences of a file, or only those in ``part``; errors are as in :func:`read_conllu`."""
    return read_conllu(path, part=part)[0]
