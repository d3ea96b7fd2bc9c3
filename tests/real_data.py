"""Real data for the tests, downloaded from the sources in ``editions/open.yaml``.

    python -m tests.real_data real_data                     # all parts, about 1 GB
    python -m tests.real_data real_data glue wikitext2      # some parts

Existing parts are kept. The tests read from the folder that ``BERT_ATTENTION_REAL_DATA`` names.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import yaml

from bert_attention.downloads.clients import fetch
from bert_attention.downloads.sources import parse_source
from bert_attention.errors import InputError
from bert_attention.files import replacing_folder

ROOT = Path(__file__).parents[1]
VARIABLE = "BERT_ATTENTION_REAL_DATA"

# Inputs from the pages of BertViz, which show the attention of bert-base-uncased. Vig 2019 shows the first input.
INPUTS = (
    ("I went to the store.", "At the store, I bought fresh strawberries."),
    ("The cat sat on the mat", "The cat lay on the rug"),
    ("The rabbit quickly hopped", "The turtle slowly crawled"),
    ("The cat sat on the mat", None),
)
MOST_FREQUENT = 5050  # words whose vectors are kept


def folder_of_real_data() -> Path:
    """Return the folder that the variable names, or else ``real_data`` here or ``shared/data`` beside this checkout."""
    folders = (ROOT / "real_data", ROOT.parent / "shared" / "data")
    named = os.environ.get(VARIABLE)
    return Path(named) if named else next(filter(Path.is_dir, folders), folders[0])


def how_to_get(path: str, folder: Path) -> str:
    """Return the reason why a test without ``path`` below the folder of real data is skipped, and a remedy."""
    part = PARTS[path.partition("/")[0]]
    return (
        f"needs {folder / path} ({part.what}): `make real-data` fetches it; "
        f"if you have it elsewhere, name the folder in {VARIABLE}"
    )


@dataclass(frozen=True)
class Sources:
    """The corpora of an edition, each fetched on request."""

    edition: dict
    downloads: Path

    def fetch(self, entry: dict) -> Path:
        """Return the file or folder that an entry of the edition names."""
        source = parse_source(entry["source"])
        return fetch(source.text, source.sha256, self.downloads)

    def corpus(self, *keys: str) -> Path:
        """Return the file or folder of an entry below ``corpora``, by its keys."""
        entry = self.edition["corpora"]
        for key in keys:
            entry = entry[key]
        return self.fetch(entry)

    def copy(self, folder: Path, *keys: str, name: str = "") -> None:
        """Copy a corpus of one file into a folder."""
        origin = self.corpus(*keys)
        shutil.copyfile(origin, folder / (name or origin.name))


def _treebank(sources: Sources, folder: Path) -> None:
    for part in ("train", "dev"):
        sources.copy(folder, "treebank", part, name=f"en_ewt-ud-{part}.conllu")
    dev = parse_source(sources.edition["corpora"]["treebank"]["dev"]["source"]).text
    test = sources.fetch({"source": dev.replace("-dev.", "-test.")})  # from the same commit; no edition reads this file
    shutil.copyfile(test, folder / "en_ewt-ud-test.conllu")


def _coreference(sources: Sources, folder: Path) -> None:
    shutil.copytree(sources.corpus("coreference"), folder, dirs_exist_ok=True)


def _tasks(sources: Sources, folder: Path) -> None:
    for task in (name for name, entry in sources.edition["corpora"]["tasks"].items() if entry):
        shutil.copytree(sources.corpus("tasks", task), folder / task)


def _running_text(sources: Sources, folder: Path) -> None:
    import pyarrow.parquet as pq  # noqa: PLC0415 (here and below: slow to load, and conftest.py imports this module)

    (file,) = sources.corpus("wikipedia").glob("validation-*.parquet")
    lines = pq.read_table(file, columns=["text"])["text"].to_pylist()
    (folder / "valid.txt").write_text("".join(line.rstrip("\n") + "\n" for line in lines), encoding="utf-8")


def _frames(sources: Sources, folder: Path) -> None:
    """Write the sentences that the authors' code selects."""
    from bert_attention.corpora.frame_selection import select_framed  # noqa: PLC0415
    from bert_attention.corpora.framenet import read_framenet  # noqa: PLC0415

    read, _ = read_framenet(sources.corpus("frames"))
    sentences, _ = select_framed(read, "released", "FrameNet")
    with open(folder / "kovaleva_473.jsonl", "w", encoding="utf-8") as file:
        for sentence in sentences:
            text, elements = sentence.text, sentence.elements
            parts = [text[element.start : element.end] for element in elements]
            record = {"text": text, "target": text[slice(*sentence.target)], "elements": parts}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def _vectors(sources: Sources, folder: Path) -> None:
    with (
        gzip.open(sources.corpus("vectors"), "rt", encoding="utf-8") as file,
        open(folder / "most_frequent.txt", "w", encoding="utf-8") as kept,
    ):
        vectors = (line for line in file if len(line.split(" ")) > 2)  # skips the header, which GloVe's own files lack
        kept.writelines(itertools.islice(vectors, MOST_FREQUENT))


def _alignment(sources: Sources, folder: Path) -> None:
    for key in ("source_text", "target_text", "links"):
        sources.copy(folder, "alignment", key)


def _model(sources: Sources, folder: Path) -> None:
    from bert_attention.models.model_folder import copy_model  # noqa: PLC0415

    (model,) = sources.edition["models"]
    copy_model(sources.fetch(model), parse_source(model["source"]).sha256, folder)


def _attention(sources: Sources, folder: Path) -> None:
    """Write ``attention`` ``[layer, head, query, key]`` and ``tokens`` of each input, by the edition's model."""
    import torch  # noqa: PLC0415
    from transformers import AutoTokenizer  # noqa: PLC0415

    from bert_attention.models.encoders import load_encoder  # noqa: PLC0415

    (model,) = sources.edition["models"]
    origin = sources.fetch(model)
    tokenizer, encoder = AutoTokenizer.from_pretrained(origin), load_encoder(origin, "cpu").model
    for number, texts in enumerate(INPUTS):
        inputs = tokenizer(*(text for text in texts if text), return_tensors="pt")
        with torch.inference_mode():
            maps = encoder(**inputs, output_attentions=True).attentions
        tokens = tokenizer.convert_ids_to_tokens(inputs["input_ids"][0].tolist())
        attention = torch.cat(maps).numpy()
        np.savez(folder / f"bert_base_uncased_{number}.npz", attention=attention, tokens=np.array(tokens))


@dataclass(frozen=True)
class Part:
    """A folder of real data: its content, source and license, and the function that fills it."""

    what: str
    fill: Callable[[Sources, Path], None]


PARTS = {
    "ud_english_ewt": Part("UD English EWT 2.16, UniversalDependencies on GitHub, CC BY-SA 4.0", _treebank),
    "ontogum": Part("OntoGUM, amir-zeldes/gum on GitHub, annotation CC BY 4.0", _coreference),
    "glue": Part("GLUE, nyu-mll/glue on the Hugging Face hub, the licenses of its tasks", _tasks),
    "wikitext2": Part("WikiText-2, Salesforce/wikitext on the Hugging Face hub, CC BY-SA", _running_text),
    "framenet": Part("the sentences of Kovaleva et al., selected from NLTK's FrameNet 1.7, CC BY", _frames),
    "glove": Part("the first GloVe vectors, glove-wiki-gigaword-100 of gensim-data, PDDL", _vectors),
    "token_frequency": Part(
        "Kobayashi et al.'s counts, gorokoba560/norm-analysis-of-transformer on GitHub, Apache-2.0",
        lambda sources, folder: sources.copy(folder, "token_frequency"),
    ),
    "word_alignment": Part("100 sentence pairs of Bicici 2011, bicici/SMTData on GitHub, for trials", _alignment),
    "bert_base_uncased": Part("google-bert/bert-base-uncased on the Hugging Face hub, Apache-2.0", _model),
    "bert_base_attention": Part("attention of bert-base-uncased on four short inputs, computed here", _attention),
}


def fetch_parts(folder: Path, sources: Sources, parts: tuple[str, ...] = tuple(PARTS)) -> list[InputError]:
    """Fill the folder of each missing part. Print and return the errors."""
    failed = []
    for name in parts:
        if (folder / name).exists():
            print(f"{name}: exists")
            continue
        print(f"{name}: fetching {PARTS[name].what}", flush=True)
        try:
            with replacing_folder(folder / name) as partial:
                PARTS[name].fill(sources, partial)
        except InputError as error:
            print(f"{name}: {error}", file=sys.stderr)
            failed.append(error)
    return failed


def main() -> None:
    """Fetch, and end with an error if anything is missing."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help=f"folder for the data; name the folder in {VARIABLE}")
    parser.add_argument("parts", nargs="*", metavar="part", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--downloads", type=Path, default=ROOT / "resources" / "downloads")
    arguments = parser.parse_args()
    unknown = set(arguments.parts) - PARTS.keys()
    if unknown:
        parser.error(f"no part is called {', '.join(sorted(unknown))}: expected some of {', '.join(PARTS)}")
    edition = yaml.safe_load((ROOT / "editions" / "open.yaml").read_text(encoding="utf-8"))
    sources = Sources(edition, arguments.downloads)
    if fetch_parts(arguments.folder, sources, tuple(arguments.parts) or tuple(PARTS)):
        sys.exit("Not all parts could be fetched. Run the command again to fetch only the missing parts.")
    print(f"Tests find the data if {VARIABLE}={arguments.folder.resolve()}, or without it in {ROOT / 'real_data'}.")


if __name__ == "__main__":
    main()
