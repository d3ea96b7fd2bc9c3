"""The files of each host that the two editions name: small ones, with the real layout, formats and names."""

from __future__ import annotations

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bert_attention.corpora.conllu import read_conllu
from bert_attention.downloads.sources import Source, entries_with_sources, parse_source
from tests.rehearsal import corpora, models, parser
from tests.rehearsal.internet import Internet

_RAW = "https://raw.githubusercontent.com"
_GLUE = ("mrpc", "rte", "stsb", "qnli", "sst2", "mnli", "qqp")


@dataclass(frozen=True)
class Size:
    """Sizes of the corpora that are served, and the depth and width of the encoder.

    The scoreboard compares layers and heads of bert-base by their numbers, so there have to be as many. The width only
    costs time: at bert-base's 768, the 28 fine-tuned models alone take 6 GB.
    """

    layers: int = 12
    width: int = 96
    sentences: tuple[int, int] = (160, 60)  # trees: train, dev
    documents: int = 8
    examples: tuple[int, int] = (32, 16)  # of each task: train, dev
    articles: int = 1100


@dataclass(frozen=True)
class Hosts:
    """Serves what the sources of an edition name.

    ``real`` finds a file of the real data by its path; ``encoder`` is a folder with bert-base-uncased's vocabulary.
    """

    internet: Internet
    real: Callable[[str], Path]
    encoder: Path
    size: Size

    def serve(self, edition: object) -> dict[str, str]:
        """Serve all that an edition downloads.

        Returns
        -------
        For each pinned digest that only the published file has, that of the file in its place.
        """
        digests = {}
        served: dict[str, bytes] = {}
        for _, entry in entries_with_sources(edition):
            source = parse_source(entry["source"])
            if not source.is_remote:
                continue
            place = source.text.partition("!")[0]
            if place not in served:
                served[place] = self._serve(source)
            if source.sha256:
                digests[source.sha256] = hashlib.sha256(served[place]).hexdigest()
        return {pinned: digest for pinned, digest in digests.items() if pinned != digest}

    def _serve(self, source: Source) -> bytes:
        """Serve one source; returns the file that a digest in the edition would be of."""
        serve = {"hub": self._hub, "https": self._https, "gensim": self._gensim, "nltk": self._nltk}
        return (serve | {"stanza": self._stanza})[source.scheme](source)

    def _hub(self, source: Source) -> bytes:
        repository, revision, _ = source.hub_parts
        files = {
            "google-bert/bert-base-uncased": self._bert,
            "datasets/Salesforce/wikitext": self._wikitext,
            "datasets/nyu-mll/glue": self._glue,
            "Helsinki-NLP/opus-mt-de-en": self._opus,
            "facebook/mbart-large-50-many-to-many-mmt": self._mbart,
        }[repository]()
        self.internet.add_hub_repository(repository, revision, files)
        return files.get("model.safetensors", b"")

    def _bert(self) -> models.Files:
        return models.bert_base_uncased(self.encoder, self.size.layers, self.size.width)

    def _wikitext(self) -> models.Files:
        files = corpora.wikitext(self.real("wikitext2/valid.txt"), self.size.articles)
        return files | {"README.md": b"", "wikitext-103-raw-v1/test-00000-of-00001.parquet": b"not to be downloaded"}

    def _glue(self) -> models.Files:
        files = {"README.md": b"", "ax/test-00000-of-00001.parquet": b"not to be downloaded"}
        for task in _GLUE:
            files |= corpora.glue_task(self.real(f"glue/{task}"), task, *self.size.examples)
        return files

    def _opus(self) -> models.Files:
        source, target = ([self.real(f"word_alignment/test.{side}")] for side in ("de", "en"))
        return models.opus_mt(corpora.running_text(source), corpora.running_text(target))

    def _mbart(self) -> models.Files:
        return models.mbart_50(
            corpora.running_text([self.real("word_alignment/test.de"), self.real("word_alignment/test.en")])
        )

    def _https(self, source: Source) -> bytes:
        address = source.text.partition("!")[0]
        archive = re.fullmatch(
            r"https://github.com/(?P<repository>amir-zeldes/gum)/archive/(?P<commit>\w+)\.zip", address
        )
        if archive:
            commit = archive["commit"]
            packed = corpora.ontogum_archive(self.real("ontogum"), commit, self.size.documents)
            self.internet.add_github_archive(archive["repository"], commit, packed)
            return packed
        train, dev = self.size.sentences
        trees = self.real("ud_english_ewt/en_ewt-ud-train.conllu").parent
        content = {
            "en_ewt-ud-train.conllu": lambda: corpora.excerpt_of_conllu(trees / "en_ewt-ud-train.conllu", train),
            "en_ewt-ud-dev.conllu": lambda: corpora.excerpt_of_conllu(trees / "en_ewt-ud-dev.conllu", dev),
            "rank_count_ids.txt": self.real("token_frequency/rank_count_ids.txt").read_bytes,
            "German-English_WordAlignment.zip": lambda: corpora.alignment_archive(self.real("word_alignment")),
        }[address.rpartition("/")[2]]()
        assert address.startswith(f"{_RAW}/")
        self.internet.add(address, content)
        return content

    def _gensim(self, source: Source) -> bytes:
        vectors = corpora.glove_of_gensim(self.real("glove/glove.6B.50d.top5k.txt"))
        name = source.place
        entry = {"parts": 1, "checksum": hashlib.md5(vectors).hexdigest(), "file_name": f"{name}.gz"}
        listing = {"corpora": {}, "models": {name: entry | {"num_records": 400000, "parameters": {"dimension": 100}}}}
        self.internet.add(f"{_RAW}/RaRe-Technologies/gensim-data/master/list.json", json.dumps(listing).encode())
        files = {"__init__.py": b"raise SystemExit('not to be run')", f"{name}.gz": vectors}
        self.internet.add_github_release("RaRe-Technologies/gensim-data", name, files)
        return vectors

    def _nltk(self, source: Source) -> bytes:
        archive = corpora.framenet_archive(self.real("framenet/kovaleva_473.jsonl"))
        with zipfile.ZipFile(io.BytesIO(archive)) as content:
            unpacked = sum(file.file_size for file in content.infolist())
        address = f"{_RAW}/nltk/nltk_data/gh-pages/packages/corpora/{source.place}.zip"
        self.internet.add(address, archive)
        package = (
            f'<package id="{source.place}" name="FrameNet 1.7" license="Creative Commons Attribution 3.0" unzip="1"'
            f' unzipped_size="{unpacked}" size="{len(archive)}" subdir="corpora" url="{address}"'
            f' checksum="{hashlib.md5(archive).hexdigest()}"/>'
        )
        index = f'<?xml version="1.0"?>\n<nltk_data><packages>{package}</packages><collections/></nltk_data>\n'
        self.internet.add(f"{_RAW}/nltk/nltk_data/gh-pages/index.xml", index.encode())
        return archive

    def _stanza(self, source: Source) -> bytes:
        language, _, version = source.place.partition("@")
        trees = read_conllu(self.real("ud_english_ewt/en_ewt-ud-train.conllu"))[0]
        resources, files = parser.english_packages(trees[:150], trees[150:200])
        address = f"{_RAW}/stanfordnlp/stanza-resources/main/resources_{version}.json"
        self.internet.add(address, resources)
        stored = {f"models/{name}": content for name, content in files.items()}
        self.internet.add_hub_repository(f"stanfordnlp/stanza-{language}", f"v{version}", stored)
        return resources


def write_licensed(folder: Path, real: Callable[[str], Path], size: Size) -> None:
    """The licensed files that the README asks for, made from open ones."""
    trees = real("ud_english_ewt/en_ewt-ud-train.conllu").parent
    files = {
        f"ptb/{part}.conllx": corpora.stanford_dependencies(trees / f"en_ewt-ud-{part}.conllu", number)
        for part, number in zip(("train", "dev"), size.sentences, strict=True)
    }
    files |= {
        f"conll-2012/dev/{name}": text for name, text in corpora.conll2012(real("ontogum"), size.documents).items()
    }
    files |= {f"rwth/{name}": content for name, content in corpora.rwth(real("word_alignment")).items()}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
