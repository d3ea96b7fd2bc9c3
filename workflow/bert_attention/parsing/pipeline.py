"""Parsing raw text into CoNLL-U with Stanza (Qi et al. 2020) from a folder of models, without network access.

``stanza.download`` and :func:`bert_attention.parsing.training.train_pipeline` make such folders. They hold
``resources.json``, which lists packages with the MD5 of every file, and ``<language>/<processor>/<package>.pt``.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from pickle import UnpicklingError

import stanza
from stanza.models.common.doc import Document
from stanza.resources.common import get_language_resources

from bert_attention.corpora.bad_lines import is_withheld
from bert_attention.corpora.conllu import parse_sentence
from bert_attention.corpora.texts import character_spans
from bert_attention.corpora.types import Sentence, Word
from bert_attention.errors import InputError
from bert_attention.models.devices import choose_device

PROCESSORS = ("tokenize", "pos", "lemma", "depparse")
_MULTIWORD = "mwt"
_TOO_LONG = "<UNK>"  # Stanza's text for a token that is longer than its tokenizer's ``max_seqlen``

# Stanza adds a handler to its logger if none is configured yet. With ours, every message would appear twice.
logging.getLogger("stanza").removeHandler(stanza.log_handler)
logging.getLogger("stanza").setLevel(logging.WARNING)


def load_pipeline(folder: Path | str, language: str = "en", device: str = "auto") -> stanza.Pipeline:
    """Load a language's default package: tokenizer, multiword token expander if present, tagger, lemmatizer, parser.

    Nothing is downloaded. Stanza 1.15 reads every ``.pt`` file with ``torch.load(..., weights_only=True)``, which runs
    no code from a file. This includes the vectors and character models of official packages. Stanza rejects
    lemmatizers of older versions that hold a pickle.

    ``device`` is as in :func:`bert_attention.models.devices.choose_device`. Raise InputError if models are missing,
    Stanza cannot load them, or ``device`` is ``cuda`` and there is no GPU.
    """
    folder = Path(folder)
    where = f"Stanza models in {folder}"
    chosen = str(choose_device(device))
    entry = get_language_resources(_resources(folder), language)
    default = entry.get("packages", {}).get("default", {}) if entry else {}
    lacking = [processor for processor in PROCESSORS if processor not in default]
    if lacking:
        problem = f"resources.json has no default package for language {language!r} with {', '.join(lacking)}"
        raise InputError(where, problem, "give a folder with Stanza models of this language")
    processors = {name: "default" for name in (*PROCESSORS, _MULTIWORD) if name in default}
    try:
        return stanza.Pipeline(
            language,
            dir=str(folder),
            processors=processors,
            package=None,
            download_method=None,
            device=chosen,
        )
    except (
        OSError,
        EOFError,
        UnpicklingError,
        ValueError,
        RuntimeError,
        LookupError,
        AttributeError,
        TypeError,
    ) as error:
        lines = str(error).splitlines() or [type(error).__name__]
        remedy = f"give models trained with or published for Stanza {stanza.__version__}"
        raise InputError(where, f"cannot be loaded ({lines[0]})", remedy) from error


def _resources(folder: Path) -> dict:
    """Return the content of ``resources.json``."""
    path = folder / "resources.json"
    try:
        resources = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        problem = "there is no resources.json"
        raise InputError(f"Stanza models in {folder}", problem, "download or train the models first") from None
    except ValueError as error:
        raise InputError(path, f"is not JSON ({error})", "download or train the models again") from None
    if not isinstance(resources, dict):
        raise InputError(path, "is not a JSON object", "download or train the models again")
    return resources


def parse_texts(
    pipeline: stanza.Pipeline,
    texts: Sequence[str] | Sequence[Sequence[str]],
    *,
    batch_size: int = 100,
    pretokenized: bool = False,
    progress: Callable[[Iterable], Iterable] = iter,
) -> list[list[Sentence]]:
    """Parse each text into sentences.

    The only comment of a sentence is ``# text``. MISC is as Stanza writes it: ``start_char`` and ``end_char`` count the
    characters of the text (:func:`bert_attention.corpora.texts.character_spans` reads them), ``SpaceAfter=No`` and
    ``SpacesAfter`` record the space between tokens.

    Every tree has one root, because Stanza takes the best such tree. Stanza chooses the relation of each word
    separately, so relations are corrected: the root gets ``root``, and any other word with ``root`` gets ``dep``.
    Stanza writes ``<UNK>`` for a token longer than the tokenizer's ``max_seqlen``. This function restores the token's
    characters from the text.

    Memory grows with ``batch_size``, the number of texts in each call of Stanza. Stanza splits a batch further, into
    batches of about 5,000 words. If ``pretokenized`` is True, each text is a list of the words of one sentence, which
    Stanza does not tokenize. Offsets then count the characters of the words joined by single spaces. A blank text has
    no sentences, and a sentence of blanks to fill in ("____ ____") is left out. Raise InputError if a word of a
    pretokenized text is blank or holds a tab or line break.
    """
    if pretokenized:
        _check_words(texts)
    indices = [index for index, text in enumerate(texts) if (text if pretokenized else text.strip())]
    batches = [indices[start : start + batch_size] for start in range(0, len(indices), batch_size)]
    parsed: list[list[Sentence]] = [[] for _ in texts]
    for batch in progress(batches):
        if pretokenized:
            documents = [_document_of_words(texts[index]) for index in batch]
            pipeline.process(documents, processors=[name for name in PROCESSORS if name != "tokenize"])
        else:
            documents = pipeline.bulk_process([texts[index] for index in batch])
        for index, document in zip(batch, documents, strict=True):
            filled = [each for each in document.sentences if not is_withheld([word.text for word in each.words])]
            sentences = [_convert_sentence(sentence) for sentence in filled]
            parsed[index] = sentences if pretokenized else [_with_long_words(part, texts[index]) for part in sentences]
    return parsed


def _with_long_words(sentence: Sentence, text: str) -> Sentence:
    """Return the sentence with ``<UNK>``, Stanza's form of an overlong word, replaced by the word in the text."""
    if _TOO_LONG not in sentence.forms:
        return sentence
    spans = character_spans(sentence)
    words = (
        replace(word, form=" ".join(text[start:end].split())) if word.form == _TOO_LONG else word
        for word, (start, end) in zip(sentence.words, spans, strict=True)
    )
    return replace(sentence, words=tuple(words))


def _check_words(texts: Sequence[Sequence[str]]) -> None:
    for number, words in enumerate(texts, start=1):
        for index, word in enumerate(words, start=1):
            if not word.strip() or set(word) & set("\t\r\n"):
                problem = f"is {word!r}, but must not be blank or contain a tab or line break"
                raise InputError(f"text {number}, word {index}", problem, "correct or remove the word")


def _document_of_words(words: Sequence[str]) -> Document:
    """Return a Stanza document with the words as its only sentence."""
    tokens = []
    start = 0
    for number, word in enumerate(words, start=1):
        tokens.append({"id": number, "text": word, "start_char": start, "end_char": start + len(word)})
        start += len(word) + 1
    return Document([tokens], text=" ".join(words))


def _convert_sentence(sentence: stanza.models.common.doc.Sentence) -> Sentence:
    """Convert a Stanza sentence through Stanza's CoNLL-U, so that the tree is validated."""
    lines = f"{sentence:C}".split("\n")
    parsed = parse_sentence(enumerate(lines, start=1))
    comments = tuple(line for line in parsed.comments if line.startswith("# text ="))
    return replace(parsed, words=tuple(map(_correct_root_relation, parsed.words)), comments=comments)


def _correct_root_relation(word: Word) -> Word:
    """Return the word with the relation ``root`` if and only if the word is the root."""
    if word.head == 0:
        return replace(word, relation="root")
    return replace(word, relation="dep") if word.relation == "root" else word
