"""Write the edition that replicates the default edition on another encoder, and print its file.

python -m bert_attention.running.own_model MODEL

The model is a folder, a source as in an edition, or a name on the Hugging Face hub.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

import yaml

from bert_attention.downloads.models import model_source
from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError
from bert_attention.files import replacing

_LONGEST_NAME = 60
_NAME_ON_HUB = re.compile(r"[\w-][\w.-]*(/[\w-][\w.-]*)?")
_HEAD = """\
# Written for `make replicate MODEL={model}`, which reads this file the next time. docs/editions.md has all keys.
"""


def own_edition(model: str, editions: Path | str = "editions") -> tuple[Path, bool]:
    """Return the file of the edition of a single encoder, which has the encoder's name, and True if it was written now.

    A file that is there is kept, because its reader may have changed it. Raise InputError if there is no such model, if
    no name can be made of its path, or if the file is of another model.
    """
    any_revision = _is_name_on_hub(model)
    if any_revision:
        repository, revision = _newest_on_hub(model)
        source = f"hub:{repository}@{revision}"
    else:
        source = model_source(model)
    if parse_source(source).scheme == "path" and not Path(source.removeprefix("path:")).is_dir():
        raise InputError(f"model {model}", "there is no such folder", "correct the path")
    edition = edition_of(source)
    file = Path(editions) / f"{edition['edition']}.yaml"
    if file.exists():
        _check_is_of(file, source, any_revision)
        return file, False
    with replacing(file) as partial:
        text = yaml.safe_dump(edition, sort_keys=False, allow_unicode=True, width=1000)
        partial.write_text(_HEAD.format(model=_one_line(model)) + text, encoding="utf-8")
    return file, True


def edition_of(source: str) -> dict:
    """Return the keys in which the edition of a single encoder differs from the default edition.

    Raise InputError if the source has no letters of which a name can be made.
    """
    name = _name_of(source)
    edition = re.sub(r"[^a-z0-9_-]", "-", name.lower())
    if _is_number(edition) or edition == "embedded":  # the default edition has this name
        edition = f"model-{edition}"
    return {"edition": edition, "models": [{"name": name, "source": source}]}


def _is_name_on_hub(model: str) -> bool:
    """Return True for a name such as ``bert-base-uncased`` or ``google-bert/bert-base-uncased`` that is no folder."""
    return bool(_NAME_ON_HUB.fullmatch(model)) and not Path(model).exists()


def _newest_on_hub(name: str) -> tuple[str, str]:
    """Return the full name and the newest revision of a model on the hub; raise InputError if it cannot be found."""
    from huggingface_hub import HfApi  # noqa: PLC0415 (only for names on the hub)

    try:
        found = HfApi(endpoint=os.environ.get("HF_ENDPOINT")).model_info(name)
    except Exception as error:  # the client passes on the exceptions of its HTTP library
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        remedy = "give the folder of a model, correct the name, or connect to the network"
        raise InputError(f"model {name}", f"is no folder, and the hub does not find it ({reason})", remedy) from None
    return found.id, found.sha


def _check_is_of(file: Path, source: str, any_revision: bool) -> None:
    """Raise InputError if an edition's file is not about one model with a source, or with any revision of the source.

    A revision that the user gives is never ignored: another revision is another model.
    """
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    models = content.get("models") if isinstance(content, Mapping) else None
    found = [str(entry.get("source")) for entry in models or [] if isinstance(entry, Mapping)]
    if found == [source] or (any_revision and [*map(_without_revision, found)] == [_without_revision(source)]):
        return
    problem = f"is there, but not about {source}" + (f": its source is {', '.join(found)}" if found else "")
    own = "give the model's folder another name" if source.startswith("path:") else f"correct the source in {file}"
    raise InputError(file, problem, f"{own}, or move {file} away")


def _without_revision(source: str) -> str:
    return source.partition("@")[0] if source.startswith("hub:") else source


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _is_number(text: str) -> bool:
    """Return True if YAML or Python reads a text as a number, such as ``123``, ``1e5`` or ``nan``."""
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
        edition_file, is_new = own_edition(sys.argv[1])
    except InputError as error:
        sys.exit(f"ERROR {error}")
    print(f"{'Wrote' if is_new else 'Read'} {edition_file}: the edition of this model.", file=sys.stderr)
    print(edition_file)
