"""Checks that a tokenizer belongs to a model, and a warning if transformers would read the tokenizer in another way.

``tokenizer.json`` is the truth. transformers 5 replaces some of its steps by those of the class that
``tokenizer_config.json`` names; transformers 4 and ``PreTrainedTokenizerFast`` keep them.
"""

from __future__ import annotations

from pathlib import Path
from warnings import warn

from bert_attention.errors import InputError
from bert_attention.models.config_file import read_config
from bert_attention.models.families import segment_types
from bert_attention.tokenization.tokenizer import Tokenizer, is_cased

# A pair of texts in which tokenizers differ: case, accents, spaces, contractions, digits, symbols, Chinese, Cyrillic.
_COMPARED = (
    "It isn't  S\u00e3o Paulo\tCAF\u00c9 e\u0301te\u0301, grew 3.5% (to 9,646)\u2026 \u2014 \U0001f600",
    " \u4eca\u5929\u5929\u6c14\u3002 \u0411\u044b\u043b\u043e, \u201c#tag\u201d a/b_c and then.",
)
# Real vocabularies have a token for at least 97% of the embeddings, BERT's unused tokens included: the rest fills the
# embeddings up to a multiple of 8, 64 or 128.
_REFUSED, _WARNED, _FILLED_UP = 0.2, 0.9, 128


def check_vocabulary(tokenizer: Tokenizer, size: int, where: str) -> None:
    """Check that the tokenizer of a model fits its embeddings, whose number is ``size``, and itself.

    Raise InputError if the embeddings lack a vector for an id, if less than a fifth of the embeddings have a token, or
    if the tokenizer lowers the case of text, but its vocabulary has capitals. Warn if less than nine tenths of the
    embeddings have a token and more than 128 have none.
    """
    vocabulary = tokenizer.backend.get_vocab()
    beyond = sorted((token for token, index in vocabulary.items() if index >= size), key=vocabulary.get)
    remedy = "get the tokenizer and the weights of the same model"
    if beyond:
        problem = f"has {size} embeddings, but its tokenizer has {len(beyond)} tokens more, such as {beyond[0]!r}"
        added = "; if you added tokens, call model.resize_token_embeddings(len(tokenizer)) and save the model again"
        raise InputError(where, problem, remedy + added)
    few = f"its tokenizer has {len(vocabulary)} tokens for {size} embeddings"
    if len(vocabulary) < _REFUSED * size:
        raise InputError(where, few, remedy)
    if len(vocabulary) < min(_WARNED * size, size - _FILLED_UP):
        warn(f"{where}: {few}; {remedy}", stacklevel=2)
    if tokenizer.lowers_case and is_cased(vocabulary):
        problem = "its tokenizer lowers the case of text, but its vocabulary has capitals"
        raise InputError(where, problem, f"{remedy}, or make the tokenizer again with do_lower_case=False")


def warn_of_transformers(tokenizer: Tokenizer, folder: Path | str) -> None:
    """Warn if AutoTokenizer of this transformers gives other input than the ``tokenizer.json`` in a model folder.

    Segment ids are compared if the model has two segment types and AutoTokenizer gives segment ids. Some of its
    classes, such as ALBERT's, give none, although the model was trained with them.
    """
    import transformers  # noqa: PLC0415 (takes seconds)

    transformers.utils.logging.set_verbosity_error()
    library = f"AutoTokenizer of transformers {transformers.__version__}"
    try:
        other = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        theirs = other(*_COMPARED, truncation=False, padding=False)
    except Exception as error:  # transformers raises many classes of error here
        first = next((line for line in str(error).splitlines() if line), type(error).__name__)
        warn(f"model {folder}: its tokenizer.json is used; {library} cannot load the tokenizer ({first})", stacklevel=2)
        return
    own = tokenizer.backend.encode(*_COMPARED)
    if own.ids != theirs["input_ids"]:
        other_tokens = other.convert_ids_to_tokens(theirs["input_ids"])
        n = next((n for n, (a, b) in enumerate(zip(own.tokens, other_tokens, strict=False)) if a != b), 0)
        found, instead = (" ".join(tokens[max(0, n - 1) : n + 4]) for tokens in (own.tokens, other_tokens))
    elif segment_types(read_config(folder)) > 1 and theirs.get("token_type_ids", own.type_ids) != own.type_ids:
        found, instead = f"the segments {own.type_ids}", str(theirs["token_type_ids"])
    else:
        return
    warn(
        f"model {folder}: its tokenizer.json is used, although {library} ({type(other).__name__}) gives other input: "
        f"{instead!r}, not {found!r}. PreTrainedTokenizerFast gives the input of the file",
        stacklevel=2,
    )
