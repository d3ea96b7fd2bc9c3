"""The files of each host that the editions name: small, but with the real layout, formats and names."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bert_attention.corpora.conllu import read_conllu
from bert_attention.downloads.sources import Source, entries_with_sources, parse_source
from tests.rehearsal import corpora, models, parser
from tests.rehearsal.internet import RAW, Internet

LAYERS, WIDTH = 2, 24  # size of the encoder
TREES, DOCUMENTS, ARTICLES = 60, 8, 200  # trees: of each part
EXAMPLES = (16, 8)  # of each task: train, dev


@dataclass(frozen=True)
class Hosts:
    """Serves the files that the sources of an edition name.

    ``real`` finds a file of the real data by its path; ``encoder`` is a folder with bert-base-uncased's vocabulary.
    """

    internet: Internet
    real: Callable[[str], Path]
    encoder: Path

    def serve(self, edition: object) -> dict[str, str]:
        """Serve all downloads of an edition; return the digests of files whose published version has another digest."""
        digests, served = {}, {}
        for _, entry in entries_with_sources(edition):
            source = parse_source(entry["source"])
            file = source.text.partition("!")[0]
            if source.is_remote and file not in served:
                served[file] = self._serve(source)
            if source.is_remote and source.sha256:
                digests[source.sha256] = hashlib.sha256(served[file]).hexdigest()
        return {pinned: digest for pinned, digest in digests.items() if pinned != digest}

    def _serve(self, source: Source) -> bytes:
        """Serve one source; return the file whose digest an edition would pin."""
        serve = {"hub": self._hub, "https": self._https, "gensim": self._gensim, "nltk": self._nltk}
        return (serve | {"stanza": self._stanza})[source.scheme](source)

    def _hub(self, source: Source) -> bytes:
        repository, revision, _ = source.hub_parts
        unread = {"README.md": b"", "wikitext-103-raw-v1/test-00000-of-00001.parquet": b"not to be downloaded"}
        german, english = (corpora.running_text([self.real(f"word_alignment/test.{side}")]) for side in ("de", "en"))
        files = {
            "google-bert/bert-base-uncased": lambda: models.bert_base_uncased(self.encoder, LAYERS, WIDTH),
            "datasets/Salesforce/wikitext": lambda: (
                corpora.wikitext(self.real("wikitext2/valid.txt"), ARTICLES) | unread
            ),
            "datasets/nyu-mll/glue": self._glue,
            "Helsinki-NLP/opus-mt-de-en": lambda: models.opus_mt(german, english),
            "facebook/mbart-large-50-many-to-many-mmt": lambda: models.mbart_50(german + english),
        }[repository]()
        self.internet.add_hub_repository(repository, revision, files)
        return files.get("model.safetensors", b"")

    def _glue(self) -> models.Files:
        files = {"README.md": b"", "ax/test-00000-of-00001.parquet": b"not to be downloaded"}
        for task in ("mrpc", "rte", "stsb", "qnli", "sst2", "mnli", "qqp"):
            files |= corpora.glue_task(self.real(f"glue/{task}"), task, *EXAMPLES)
        return files

    def _https(self, source: Source) -> bytes:
        address = source.text.partition("!")[0]
        if archive := re.fullmatch(r"https://github.com/(amir-zeldes/gum)/archive/(\w+)\.zip", address):
            packed = corpora.ontogum_archive(self.real("ontogum"), archive[2], DOCUMENTS)
            self.internet.add_github_archive(archive[1], archive[2], packed)
            return packed
        name = address.rpartition("/")[2]
        content = {
            name: lambda: corpora.excerpt_of_conllu(self.real(f"ud_english_ewt/{name}"), TREES),
            "rank_count_ids.txt": self.real("token_frequency/rank_count_ids.txt").read_bytes,
            "German-English_WordAlignment.zip": lambda: corpora.alignment_archive(self.real("word_alignment")),
        }[name]()
        assert address.startswith(f"{RAW}/")
        self.internet.add(address, content)
        return content

    def _gensim(self, source: Source) -> bytes:
        vectors = corpora.glove_of_gensim(self.real("glove/glove.6B.50d.top5k.txt"))
        self.internet.add_gensim(source.location, vectors, num_records=400000, parameters={"dimension": 100})
        return vectors

    def _nltk(self, source: Source) -> bytes:
        archive = corpora.framenet_archive(self.real("framenet/kovaleva_473.jsonl"))
        self.internet.add_nltk(source.location, archive)
        return archive

    def _stanza(self, source: Source) -> bytes:
        language, _, version = source.location.partition("@")
        trees = read_conllu(self.real("ud_english_ewt/en_ewt-ud-train.conllu"))[0]
        resources, files = parser.english_packages(trees[:150], trees[150:200])
        address = f"{RAW}/stanfordnlp/stanza-resources/main/resources_{version}.json"
        self.internet.add(address, resources)
        stored = {f"models/{name}": content for name, content in files.items()}
        self.internet.add_hub_repository(f"stanfordnlp/stanza-{language}", f"v{version}", stored)
        return resources


def write_licensed(folder: Path, real: Callable[[str], Path]) -> None:
    """The licensed files that the README asks for, made from open ones."""
    trees = real("ud_english_ewt/en_ewt-ud-train.conllu").parent
    files = {
        f"ptb/{part}.conllx": corpora.stanford_dependencies(trees / f"en_ewt-ud-{part}.conllu", TREES)
        for part in ("train", "dev")
    }
    files |= {f"conll-2012/dev/{name}": text for name, text in corpora.conll2012(real("ontogum"), DOCUMENTS).items()}
    files |= {f"rwth/{name}": content for name, content in corpora.rwth(real("word_alignment")).items()}
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
