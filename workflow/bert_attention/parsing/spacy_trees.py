"""Dependency trees of running text from a spaCy model in a folder, without network access.

Clark et al. 2019 used Stanford Dependencies. spaCy's English models use the closely related labels of ClearNLP.
``docs/editions.md`` gives the accuracy of the labels.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Token

from bert_attention.corpora.bad_lines import is_withheld
from bert_attention.corpora.conllu import parse_sentence
from bert_attention.corpora.types import Sentence
from bert_attention.errors import InputError
from bert_attention.manifest import folder_digest

# spaCy's relations that have other names in Clark et al. 2019 or in CoNLL-U.
_RELATIONS = {"compound": "nn", "ROOT": "root", "": "dep"}
_NOT_NEEDED = ("ner", "senter")
_NEEDED = ("tagger", "parser", "lemmatizer")


def load_spacy(folder: Path | str, digest: str | None = None) -> Language:
    """Load the tagger, parser and lemmatizer of a spaCy model.

    The Python package that contains the folder is not imported.

    Parameters
    ----------
    folder
        The folder that holds the model's ``config.cfg``.
    digest
        Expected result of :func:`bert_attention.manifest.folder_digest` for the folder, compared before spaCy reads any
        file. None skips the comparison.

    Raises
    ------
    InputError
        If the digest differs, spaCy cannot read the folder, or the model lacks a tagger, parser or lemmatizer.
    """
    folder = Path(folder)
    where = f"spaCy model in {folder}"
    remedy = f"give the folder that holds the config.cfg of an English model made for spaCy {spacy.__version__}"
    if digest is not None and (found := folder_digest(folder)) != digest:
        problem = f"has the wrong content: the digest of its files is {found}, but the edition pins {digest}"
        raise InputError(
            where, problem, "install the model again; if the change is intended, correct the digest in the edition"
        )
    try:
        nlp = spacy.load(folder, exclude=_NOT_NEEDED)
    except (OSError, ImportError, ValueError, KeyError, TypeError, AttributeError, EOFError, RuntimeError) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        raise InputError(where, f"cannot be loaded ({lines[0]})", remedy) from error
    lacking = [name for name in _NEEDED if name not in nlp.pipe_names]
    if lacking:
        raise InputError(where, f"has no {', '.join(lacking)}", remedy)
    return nlp


def parse_sentences(
    nlp: Language,
    paragraphs: Sequence[Sequence[str]],
    *,
    chosen: Sequence[Collection[int]] | None = None,
    batch_size: int = 50,
    progress: Callable[[Iterable], Iterable] = iter,
) -> list[list[Sentence]]:
    """Parse paragraphs whose sentences are already split.

    Each sentence becomes one :class:`Sentence` with one root. Runs of white space become single spaces. Blank sentences
    are left out, and those of blanks to fill in ("____ ____"). The only comment is ``# text``. MISC holds
    ``start_char``, ``end_char`` and ``SpaceAfter=No`` in Stanza's format. Offsets count the characters of the
    paragraph's sentences that are not blank, joined by spaces.

    Parameters
    ----------
    chosen
        The sentences of each paragraph to parse: their indices among the sentences that are not blank. None parses all.
    batch_size
        Number of paragraphs in each call of spaCy.
    progress
        Wraps the batches.

    Returns
    -------
    One list of sentences per paragraph, in the paragraph's order.
    """
    texts = [_with_offsets(paragraph) for paragraph in paragraphs]
    if chosen is not None:
        texts = [
            [texts_of_paragraph[index] for index in sorted(indices)]
            for texts_of_paragraph, indices in zip(texts, chosen, strict=True)
        ]
    batches = [texts[start : start + batch_size] for start in range(0, len(texts), batch_size)]
    parsed: list[list[Sentence]] = []
    for batch in progress(batches):
        docs = nlp.pipe(_one_sentence(nlp, text) for paragraph in batch for _, text in paragraph)
        for paragraph in batch:
            sentences = [(text, start, next(docs)) for start, text in paragraph]
            parsed.append([_convert(*each) for each in sentences if not is_withheld([token.text for token in each[2]])])
    return parsed


def _with_offsets(sentences: Iterable[str]) -> list[tuple[int, str]]:
    """Return the sentences of a paragraph that are not blank, each with the index of its first character."""
    found, start = [], 0
    for sentence in sentences:
        text = " ".join(sentence.split())
        if text:
            found.append((start, text))
            start += len(text) + 1
    return found


def _one_sentence(nlp: Language, text: str) -> Doc:
    """Tokenize a text and mark the text as a single sentence for the parser."""
    doc = nlp.make_doc(text)
    for token in doc:
        token.is_sent_start = token.i == 0
    return doc


def _convert(text: str, start: int, doc: Doc) -> Sentence:
    """Convert a parsed sentence that starts at character ``start`` of its paragraph."""
    lines = [f"# text = {text}", *(_line(token, start) for token in doc)]
    return parse_sentence(enumerate(lines, start=1))


def _line(token: Token, start: int) -> str:
    """Format a token as a line of CoNLL-U; its doc starts at character ``start`` of the paragraph."""
    relation = _RELATIONS.get(token.dep_, token.dep_)
    head = 0 if token.head.i == token.i else token.head.i + 1
    first = start + token.idx
    misc = f"start_char={first}|end_char={first + len(token)}"
    if not token.whitespace_ and token.i + 1 < len(token.doc):
        misc += "|SpaceAfter=No"
    columns = (token.text, token.lemma_, token.pos_, token.tag_, str(token.morph), str(head), relation, "", misc)
    return "\t".join((str(token.i + 1), *(column or "_" for column in columns)))
