"""Print the options of Snakemake's `--config` that replicate the default edition on another encoder.

python -m bert_attention.running.own_model MODEL

The model is a folder, or a source as in an edition. The output is quoted for a shell.
"""

from __future__ import annotations

import json
import re
import shlex
import sys
from pathlib import Path

from bert_attention.downloads.models import model_source
from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError

_LONGEST_NAME = 60


def config_of_model(model: str) -> list[str]:
    """Return the values of ``--config`` for an edition of a single encoder, which has the encoder's name.

    Raise InputError if there is no such model, or no name can be made of its path.
    """
    source = model_source(model)
    scheme = parse_source(source).scheme
    if scheme == "path" and not Path(source.removeprefix("path:")).is_dir():
        raise InputError(f"model {model}", "there is no such folder", "correct the path")
    name = _name_of(source)
    entry = {"name": name, "source": source, "mlm_head": "fit"}
    edition = re.sub(r"[^a-z0-9_-]", "-", name.lower())
    if _is_number(edition):  # Snakemake would read a number
        edition = f"model-{edition}"
    return [f"edition={edition}", f"models={json.dumps([entry], ensure_ascii=False)}"]  # JSON is YAML


def _is_number(text: str) -> bool:
    """Return True if Python reads a text as a number, such as ``123``, ``1e5`` or ``nan``."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _name_of(source: str) -> str:
    """Return a name for a model, from its repository, package or folder.

    Raise InputError if the source has no letters of which a name can be made.
    """
    parsed = parse_source(source)
    if parsed.scheme == "hub":
        text = parsed.hub_parts[0].rpartition("/")[2]
    elif parsed.scheme == "path":
        text = Path(parsed.location).resolve().name
    else:
        text = re.split("[/@!]", parsed.location)[0]
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("._-")[:_LONGEST_NAME]
    if not name:
        remedy = "give the folder another name, or write an edition (docs/editions.md)"
        raise InputError(f"model {source}", "has no letters or digits for the name of its results", remedy)
    return name


if __name__ == "__main__":
    try:
        print(shlex.join(config_of_model(sys.argv[1])))
    except InputError as error:
        sys.exit(f"ERROR {error}")
