"""Translation models: safe loading of any model with an encoder and a decoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from transformers import AutoModelForSeq2SeqLM, AutoTokenizer, PreTrainedModel, PreTrainedTokenizerBase

from bert_attention.errors import InputError
from bert_attention.models.devices import choose_device
from bert_attention.models.loading import check_complete, load_config, load_weights


@dataclass(frozen=True)
class TranslationModel:
    """A model in inference mode with eager attention, and its tokenizer, set to the source and target language."""

    model: PreTrainedModel
    tokenizer: PreTrainedTokenizerBase

    @property
    def max_length(self) -> int | None:
        """The maximum number of subwords that the model's positions allow; None if positions are relative."""
        return getattr(self.model.config, "max_position_embeddings", None)


def load_translation_model(
    folder: Path | str, device: str = "auto", *, languages: Sequence[str] | None = None
) -> TranslationModel:
    """Load the translation model in a folder from safetensors weights, without running any code from the folder.

    ``languages`` are the tokenizer's codes of source and target (mBART-50: ``de_DE``, ``en_XX``). They are only for
    multilingual models, in which a sentence begins with the code of its language. Raise InputError if the folder holds
    no usable weights or tokenizer, or another kind of model. Raise InputError as well if a multilingual model gets no
    languages or unknown languages, or a bilingual model gets languages.
    """
    model = _load_weights(folder)
    tokenizer = _load_tokenizer(folder)
    _choose_languages(tokenizer, languages, folder)
    return TranslationModel(model.eval().to(choose_device(device)), tokenizer)


def _load_weights(folder: Path | str) -> PreTrainedModel:
    """Load the model in a folder; all of its weights must be there."""
    remedy = "choose a translation model with an encoder and a decoder: Marian, FSMT, mBART-50, ..."
    config = load_config(folder, remedy)
    if not getattr(config, "is_encoder_decoder", False):
        raise InputError(f"model {folder}", f"is not a translation model (model type {config.model_type})", remedy)
    if getattr(config, "decoder_start_token_id", None) is None:
        raise InputError(f"model {folder}", "its config.json has no decoder_start_token_id", remedy)
    model, missing = load_weights(AutoModelForSeq2SeqLM, folder, remedy, config)
    check_complete(folder, missing)
    return model


def _load_tokenizer(folder: Path | str) -> PreTrainedTokenizerBase:
    """Load the tokenizer in a folder, fast or slow."""
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except (OSError, ValueError, TypeError, KeyError, ImportError) as error:  # a TypeError if a file is missing
        raise InputError(
            f"model {folder}",
            f"its tokenizer cannot be loaded ({_first_line(error)})",
            "get all files of the tokenizer; a tokenizer without tokenizer.json also needs a package "
            "(Marian, for example: pip install sentencepiece)",
        ) from error
    if tokenizer.is_fast:  # some models ship a tokenizer.json that truncates and pads
        tokenizer.backend_tokenizer.no_truncation()
        tokenizer.backend_tokenizer.no_padding()
    return tokenizer


def _choose_languages(tokenizer: PreTrainedTokenizerBase, languages: Sequence[str] | None, folder: Path | str) -> None:
    """Set the source and target language of a multilingual tokenizer; a bilingual tokenizer has nothing to set."""
    if not hasattr(tokenizer, "set_src_lang_special_tokens"):
        if languages:
            raise InputError(f"model {folder}", "is bilingual, but languages were given", "set its languages to null")
        return
    if not languages:
        problem = "is multilingual, but no languages were given"
        raise InputError(f"model {folder}", problem, "set its languages, for example [de_DE, en_XX]")
    try:
        tokenizer.src_lang, tokenizer.tgt_lang = languages
        unknown = tokenizer.unk_token_id in [*tokenizer(text="").input_ids, *tokenizer(text_target="").input_ids]
    except KeyError:  # some tokenizers reject an unknown code, others read it as an unknown token
        unknown = True
    if unknown:
        problem = f"its tokenizer does not know one of the languages {', '.join(languages)}"
        remedy = "use the tokenizer's language codes, for example de_DE and en_XX for mBART-50"
        raise InputError(f"model {folder}", problem, remedy)


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line), type(error).__name__)
