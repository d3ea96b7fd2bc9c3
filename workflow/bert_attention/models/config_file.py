"""``config.json`` of a model folder, and folders that hold no model: a remedy for each kind that people give."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bert_attention.errors import InputError

STANDARD_FORM = "give a folder in Hugging Face form, with safetensors weights and a fast tokenizer (tokenizer.json)"
_FILES = ("config.json", "tokenizer*.json", "*.safetensors")
_POINTER = b"version https://git-lfs"
_MOST_NAMED = 5  # models below a folder


def read_config(folder: Path | str) -> dict:
    """Return the content of a model folder's ``config.json``.

    Raise InputError if the file is missing or no JSON object, if the model is in a folder below, if the folder holds an
    adapter, or if a file is a pointer of Git LFS.
    """
    folder = Path(folder)
    _refuse_adapter(folder)
    for file in (file for pattern in _FILES for file in folder.glob(pattern) if file.is_file()):
        with file.open("rb") as content:
            if content.read(len(_POINTER)) == _POINTER:
                remedy = "run git lfs pull in the cloned repository, or download the file again"
                raise InputError(file, "is a pointer of Git LFS, which stands for the file", remedy)
    try:
        config = _json(folder / "config.json")
    except OSError:
        config = None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{folder}/config.json", f"is not JSON ({error})", "get the file again") from None
    if not isinstance(config, dict) or "model_type" not in config:
        below = list(_models_below(folder))
        if below:
            problem = f"holds no model itself, but {len(below)} in folders below"
            raise InputError(f"model {folder}", problem, f"give a model's own folder: {', '.join(below[:_MOST_NAMED])}")
    if not isinstance(config, dict):
        raise InputError(f"model {folder}", "lacks config.json, or the file holds no settings", STANDARD_FORM)
    return config


def _json(file: Path) -> object:
    return json.loads(file.read_text(encoding="utf-8-sig"))


def _models_below(folder: Path) -> Iterator[str]:
    """Yield the folders of models one or two folders below, such as ``checkpoint-500`` or ``snapshots/<revision>``."""
    for file in sorted([*folder.glob("*/config.json"), *folder.glob("*/*/config.json")]):
        try:
            config = _json(file)
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(config, dict) and isinstance(config.get("model_type"), str):
            yield str(file.parent)


def _refuse_adapter(folder: Path) -> None:
    """Raise InputError if a folder holds an adapter, which transformers applies only if peft is installed."""
    try:
        adapter = _json(folder / "adapter_config.json")
    except (FileNotFoundError, NotADirectoryError):
        return
    except (OSError, ValueError, RecursionError):
        adapter = None
    base = adapter.get("base_model_name_or_path") if isinstance(adapter, dict) else None
    new = f"{folder}-merged"
    lines = (
        "merge the adapter into its base model with this Python, and give the new folder (if the weights in the folder "
        "are merged already, delete adapter_config.json instead):",
        "from peft import PeftModel",
        "from transformers import AutoModel, AutoTokenizer",
        f"base = {str(base or '<base model>')!r}",
        f"PeftModel.from_pretrained(AutoModel.from_pretrained(base), {str(folder)!r})"
        f".merge_and_unload().save_pretrained({new!r})",
        f"AutoTokenizer.from_pretrained(base).save_pretrained({new!r})",
    )
    problem = f"has an adapter (adapter_config.json) for the base model {base or 'that it does not name'}"
    raise InputError(f"model {folder}", problem, "\n      ".join(lines))
