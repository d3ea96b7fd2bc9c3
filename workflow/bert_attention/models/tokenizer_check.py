"""Check that a model gets the input that its own tokenizer gives in transformers.

Jobs read tokenizer.json without transformers, which takes seconds to import. A tokenizer of transformers can do more
than its tokenizer.json says: its class or tokenizer_config.json can change the file's settings, or cut words in Python.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from transformers import AutoTokenizer, PreTrainedTokenizerBase
from transformers.utils import logging as transformers_logging

from bert_attention.errors import InputError
from bert_attention.models.families import read_config, segment_types
from bert_attention.tokenization.texts import Text, encode_texts, segments_of
from bert_attention.tokenization.tokenizer import Tokenizer

# Texts in which tokenizers differ: case, accents, spaces, contractions, digits, symbols, Chinese words, pairs.
_COMPARED: tuple[Text, ...] = (
    "The cat isn't on the mat.",
    "  In 1990, São Paulo\tgrew by 3.5% (to 9,646,185 people)\u2026 ",
    "naïve CAFÉ e\u0301te\u0301 \u2014 \u201cquoted\u201d \U0001f600 #tag a/b_c",
    "\u4eca\u5929\u5929\u6c14\u975e\u5e38\u597d\u3002",
    ("The cat sat.", "It didn't move, Tom said."),
    ("\u0411\u044b\u043b\u043e \u0442\u0438\u0445\u043e.", " and then"),
)
_SAVE_AGAIN = "save it again with AutoTokenizer.from_pretrained(...).save_pretrained(...), and give that folder"


def check_as_in_transformers(tokenizer: Tokenizer, folder: Path | str) -> None:
    """Check that the tokenizer in a model folder gives the same input here and in transformers.

    Raise InputError if transformers cannot load the tokenizer, or gives other input (see :func:`check_same_input`).
    """
    transformers_logging.set_verbosity_error()
    try:
        reference = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # transformers raises many classes of error here
        first = next((line for line in str(error).splitlines() if line), type(error).__name__)
        remedy = "choose an encoder whose tokenizer transformers can load without code from the model's folder"
        raise InputError(f"model {folder}", f"transformers cannot load its tokenizer ({first})", remedy) from None
    check_same_input(tokenizer, reference, f"model {folder}", read_config(folder))


def check_same_input(tokenizer: Tokenizer, reference: PreTrainedTokenizerBase, where: str, config: Mapping) -> None:
    """Check that a tokenizer gives the same token ids and segment ids as a tokenizer of transformers on a few texts.

    Segment ids are compared if the model has two segment types, by the content ``config`` of its ``config.json``, and
    the reference gives segment ids. Some classes of transformers 5, such as ALBERT's, no longer give any, although the
    model was trained with them; here, tokenizer.json decides. If they differ, raise InputError, which shows the first
    text and the tokens of both.
    """
    for text in _COMPARED:
        parts = text if isinstance(text, tuple) else (text,)
        (own,) = encode_texts(segments_of([text], tokenizer), tokenizer, "pair", max_length=1000)
        expected = reference(*parts, truncation=False, padding=False)
        if own.token_ids.tolist() != expected["input_ids"]:
            found = " ".join(tokenizer.convert_ids_to_tokens(own.token_ids))
            theirs = " ".join(reference.convert_ids_to_tokens(expected["input_ids"]))
            raise InputError(
                where,
                f"for the text {' / '.join(parts)!r}, its tokenizer.json gives {found}, but its tokenizer in "
                f"transformers ({type(reference).__name__}) gives {theirs}",
                f"{_SAVE_AGAIN}; if both still differ, transformers cuts words in Python code: choose another encoder",
            )
        theirs = expected.get("token_type_ids") if segment_types(config) > 1 else None
        if theirs not in (None, own.segment_ids.tolist()):
            raise InputError(
                where,
                f"its tokenizer.json gives the segment ids {own.segment_ids.tolist()} to a pair, but its tokenizer in "
                f"transformers ({type(reference).__name__}) gives {theirs}",
                _SAVE_AGAIN,
            )
