"""Remedies for models in another form than the standard form: mostly the Python that converts the model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError
from bert_attention.tokenization.tokenizer import is_cased

# Classes of transformers that keep a published model's head, by the ending of the name of the model's own class.
_CLASSES = {
    "ForMaskedLM": "AutoModelForMaskedLM",
    "ForPreTraining": "AutoModelForMaskedLM",
    "ForSequenceClassification": "AutoModelForSequenceClassification",
    "ForConditionalGeneration": "AutoModelForSeq2SeqLM",
    "MTModel": "AutoModelForSeq2SeqLM",
}
# Weights in other formats, with the packages and the argument with which transformers 4.49 reads them, if 5 does not.
_OTHER_FORMATS = {
    "pytorch_model*.bin": ("", ""),
    "tf_model*.h5": ("tensorflow tf-keras", "from_tf=True"),
    "flax_model*.msgpack": ("flax", "from_flax=True"),
}
_PICKLED = ("*.bin", "*.ckpt", "*.pt", "*.pth")
_EXPORTED = ("*.gguf", "*.onnx", "onnx/*.onnx")
_STATE_OF_TRAINING = ("training_args", "optimizer", "scheduler", "scaler", "rng_state")  # files of Trainer
_VOCABULARIES = ("vocab.*", "merges.txt", "*.model", "*.spm", "tokenizer.json")


def without_weights(folder: Path | str, missing: Sequence[str], source: str = "") -> InputError:
    """Return the error of a folder that lacks files, its safetensors weights among them, with the remedy.

    ``source`` is the source of the model in the edition, if the folder is its download.
    """
    patterns = (*_OTHER_FORMATS, *_PICKLED, *_EXPORTED)
    found = ((pattern, file) for pattern in patterns for file in sorted(Path(folder).glob(pattern)))
    pattern, other = next((one for one in found if not one[1].name.startswith(_STATE_OF_TRAINING)), ("", None))
    problem = f"lacks {', '.join(missing)}"
    if other is None:  # other formats are not downloaded, so the model has to be converted from the hub
        return InputError(f"model {folder}", problem, conversion(folder, source or "hub:<repository>@<revision>"))
    problem += f" (it has {other.name}, but other formats can hide code and are not read)"
    if pattern in _EXPORTED:
        remedy = f"get the model from which {other.name} was exported; an export cannot be loaded again"
    elif pattern in _OTHER_FORMATS:
        remedy = conversion(folder, source, *_OTHER_FORMATS[pattern])
    else:
        remedy = _lines(
            "convert the weights with this Python, if you trust the file, and run again:",
            "import torch",
            "from safetensors.torch import save_file",
            f"state = torch.load({str(other)!r}, map_location='cpu', weights_only=True)",
            "weights = {name: value.clone() for name, value in state.get('state_dict', state).items()}",
            f"save_file(weights, {str(Path(folder) / 'model.safetensors')!r}, metadata={{'format': 'pt'}})",
        )
    return InputError(f"model {folder}", problem, remedy)


def conversion(folder: Path | str, source: str = "", packages: str = "", option: str = "") -> str:
    """Return a remedy: Python that writes a model with safetensors weights and a fast tokenizer into a new folder.

    A model whose ``source`` is the hub is loaded from the hub, because other formats of its weights are not downloaded.
    ``packages`` are needed, beside transformers 4, for weights that transformers 5 does not load, and ``option`` is
    then the argument of ``from_pretrained``. A tokenizer is only made from a vocabulary: without one, transformers 5
    makes a tokenizer that knows no words.
    """
    origin, new = f"{str(folder)!r}", f"{str(folder).rstrip('/')}-converted"
    if source.startswith("hub:"):
        repository, revision, inside = parse_source(source).hub_parts
        subfolder = f", subfolder={inside!r}" if inside else ""
        origin, new = f"{repository!r}, revision={revision!r}{subfolder}", f"{repository.rpartition('/')[2]}-converted"
    name = _class_of(folder)
    lines = [
        f"from transformers import {name}, AutoTokenizer",
        f"{name}.from_pretrained({', '.join(filter(None, (origin, option)))}).save_pretrained({new!r})",
    ]
    end = "give the new folder"
    if source.startswith("hub:") or has_vocabulary(folder):
        case = ", do_lower_case=False" if _is_cased(folder) else ""
        lines.append(f"AutoTokenizer.from_pretrained({origin}{case}).save_pretrained({new!r})")
    else:
        end = f"copy tokenizer.json and tokenizer_config.json of the model from which it was trained into {end[5:]}"
    where = f'in another environment (pip install "transformers<4.50" torch {packages}), ' if packages else ""
    return _lines(f"{where}convert the model with this Python, and {end}:", *lines)


def has_vocabulary(folder: Path | str) -> bool:
    """Return True if a folder has a tokenizer's vocabulary, in any form."""
    return any(any(Path(folder).glob(pattern)) for pattern in _VOCABULARIES)


def without_prefix(folder: Path | str, prefix: str) -> str:
    """Return a remedy: Python that removes a prefix from the names of a model's parameters, in a copy of the folder."""
    new = f"{str(folder).rstrip('/')}-renamed"
    return _lines(
        "remove the prefix with this Python, and give the new folder:",
        "import shutil",
        "from pathlib import Path",
        "from safetensors.torch import load_file, save_file",
        f"files = sorted(Path({str(folder)!r}).glob('*.safetensors'))",
        "weights = {name: value for file in files for name, value in load_file(file).items()}",
        f"weights = {{name.removeprefix({prefix!r}): value for name, value in weights.items()}}",
        f"shutil.copytree({str(folder)!r}, {new!r}, ignore=shutil.ignore_patterns('*.safetensors*'))",
        f"save_file(weights, {f'{new}/model.safetensors'!r}, metadata={{'format': 'pt'}})",
    )


def _lines(*lines: str) -> str:
    return "\n      ".join(lines)


def _is_cased(folder: Path | str) -> bool:
    """Return True if the vocabulary of a BERT has capitals; without settings, transformers lowers the case of texts."""
    try:
        return is_cased((Path(folder) / "vocab.txt").read_text(encoding="utf-8").splitlines())
    except (OSError, UnicodeDecodeError):
        return False


def _class_of(folder: Path | str) -> str:
    try:
        architectures = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8-sig"))["architectures"]
        return next(name for end, name in _CLASSES.items() if str(architectures[0]).endswith(end))
    except (OSError, ValueError, TypeError, KeyError, IndexError, StopIteration):
        return "AutoModel"
