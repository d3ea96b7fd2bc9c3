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
from bert_attention.downloads.sources import parse_source, without_digests
from bert_attention.errors import InputError
from bert_attention.files import replacing
from bert_attention.running.edition_keys import TAKEN_BY_EDITIONS, TAKEN_BY_MODELS

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
    is_bare = _is_name_on_hub(model)
    if is_bare:
        file = _file_of(f"hub:{model}@any", editions)
        if file.exists() and _is_pinned_in(file, model):
            return file, False
        repository, revision = _newest_on_hub(model)
        source = f"hub:{repository}@{revision}"
    else:
        source = model_source(model)
    if parse_source(source).scheme == "path" and not Path(parse_source(source).location).is_dir():
        raise InputError(f"model {model}", "there is no such folder", "correct the path")
    file = _file_of(source, editions)
    if file.exists():
        _check_is_of(file, source, any_revision=is_bare)
        return file, False
    with replacing(file) as partial:
        text = yaml.safe_dump(edition_of(source), sort_keys=False, allow_unicode=True, width=1000)
        partial.write_text(_HEAD.format(model=_one_line(model)) + text, encoding="utf-8")
    return file, True


def edition_of(source: str) -> dict:
    """Return the keys in which the edition of a single encoder differs from the default edition.

    Raise InputError if the source has no letters of which a name can be made.
    """
    name = _name_of(source)
    edition = re.sub(r"[^a-z0-9_-]", "-", name.lower())
    if _is_number(edition) or edition in ("embedded", *TAKEN_BY_EDITIONS):  # the default edition is named embedded
        edition = f"model-{edition}"
    if name in TAKEN_BY_MODELS:
        name = f"model-{name}"
    return {"edition": edition, "models": [{"name": name, "source": source}]}


def _file_of(source: str, editions: Path | str) -> Path:
    """Return the file of the edition of a single encoder."""
    return Path(editions) / f"{edition_of(source)['edition']}.yaml"


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


def _is_pinned_in(file: Path, name: str) -> bool:
    """Return True if an edition's file has a revision of the model with a name on the hub.

    A name without its owner is enough if the file was written for this name. Otherwise, it can mean another owner.
    """
    repositories = [source.removeprefix("hub:") for source in _sources_in(file) if source.startswith("hub:")]
    names = [repository.partition("@")[0] for repository in repositories]
    is_own = file.read_text(encoding="utf-8").startswith(_HEAD.format(model=name))
    return name in names or (is_own and any(each.endswith(f"/{name}") for each in names))


def _check_is_of(file: Path, source: str, *, any_revision: bool) -> None:
    """Raise InputError if no model in an edition's file has a source, or any revision of the source.

    A revision that the user gives is never ignored: another revision is another model.
    """
    found = _sources_in(file)
    if any(_is_same(each, source) or (any_revision and _repository(each) == _repository(source)) for each in found):
        return
    problem = f"is there, but not about {source}" + (f": it names {', '.join(found)}" if found else "")
    own = "give the model's folder another name" if source.startswith("path:") else f"correct the source in {file}"
    raise InputError(file, problem, f"{own}, or move {file} away")


def _sources_in(file: Path) -> list[str]:
    """Return the sources of the models in an edition's file."""
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    models = content.get("models") if isinstance(content, Mapping) else None
    return [str(entry.get("source")) for entry in models or [] if isinstance(entry, Mapping)]


def _is_same(found: str, wanted: str) -> bool:
    """Return True if two sources name the same model and the one in the file has all digests of the wanted one."""
    digests = set(wanted.removeprefix(without_digests(wanted)).split())
    return _resolved(found) == _resolved(wanted) and digests <= set(found.split())


def _resolved(source: str) -> str:
    """Return a source without its digests; a folder is given by its absolute path."""
    text = without_digests(source)
    return f"path:{Path(text.removeprefix('path:')).resolve()}" if text.startswith("path:") else text


def _repository(source: str) -> str:
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
