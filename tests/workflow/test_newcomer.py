"""A newcomer's path, as README.md has it: own model, own text, own treebank; with a small random model of each kind."""

import re
from pathlib import Path

import pytest
import yaml

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.running_text import read_running_text
from bert_attention.downloads.sources import locate
from bert_attention.tables import read_table
from tests.conftest import ROOT
from tests.models.random_models import (
    LIKE_BERT,
    byte_level_tokenizer,
    save_encoder,
    save_roberta,
    unigram_tokenizer,
    wordpiece_tokenizer,
)
from tests.written import written_trees

pytestmark = pytest.mark.workflow

README = (ROOT / "README.md").read_text(encoding="utf-8")
PATH = re.search(r"^## My own model, text and trees\n.*?(?=^## )", README, flags=re.S | re.M)[0]
EDITION = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PATH, flags=re.S)[1])
# One model after the other would take longer: they share the corpora, the parser and the translation model.
SMALL = {
    "attention": {"shards": 1},
    "keep_attention": False,
    "fine_tuning": {"seeds": {"pretrained": [1], "random": [1]}},
    "corpora": {"tasks": {"sst2": None}},
}
# What a family, or a kind of tokenizer, can break. All figures of one model are made in test_replication.py; here,
# all of five models would take four hundred jobs, and these take some ninety.
TARGETS = (
    *("clark_figure_2", "clark_figure_3", "clark_table_1"),
    *("kovaleva_figure_3", "kobayashi_figure_mixing", "vig_figure_neurons"),
)
# And of the first two, whose vocabularies and special tokens differ, what is of tasks or of several models.
OF_TWO = ("kovaleva_figure_2", "kovaleva_figure_7", "kovaleva_figure_9", "kovaleva_table_1", "comparison")
PAGES = [f"results/mine/{model}/explorer.html" for model in ("roberta", "modernbert")]
MODELS = ("bert", "roberta", "albert", "deberta", "modernbert")
WITHOUT = {
    "kobayashi_figure_mixing": {"modernbert"},
    "vig_figure_neurons": {"deberta", "modernbert"},
}


def save_models(folder: Path, texts: list[str]) -> None:
    """A random model of each kind, with a tokenizer of its kind; RoBERTa has only 128 positions."""
    save_encoder(folder / "bert", "bert", wordpiece_tokenizer(texts))
    save_roberta(folder / "roberta")
    save_encoder(folder / "albert", "albert", unigram_tokenizer(texts))
    of_deberta = unigram_tokenizer(texts, special=LIKE_BERT)
    save_encoder(folder / "deberta", "deberta-v2", of_deberta, max_position_embeddings=512)
    save_encoder(folder / "modernbert", "modernbert", byte_level_tokenizer(texts), max_position_embeddings=512)


def test_the_path_is_short():
    assert len(PATH.strip().splitlines()) <= 15


def drawn(results: Path, target: str) -> set[str]:
    """The models that have files of a target."""
    return {file.parts[-3] for file in results.glob(f"*/*/{target}*") if file.suffix in (".pdf", ".md")}


def test_own_models_own_text_and_own_trees_give_figures(checkout, edition):
    """With a BERT, a RoBERTa (byte-level BPE), an ALBERT (Unigram, shared layers), a DeBERTa-v3 and a ModernBERT.

    It protects the README's path, every kind of encoder and tokenizer from file to figure, several models in one
    edition, models that are added to an edition, and runs that keep no attention.
    """
    own = checkout.folder / "mine"
    own.mkdir()
    articles, _ = read_running_text(locate(edition["corpora"]["wikipedia"]["source"]), limit=25)
    paragraphs = [" ".join(paragraph) for article in articles for paragraph in article.paragraphs]
    (own / "text.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    for split, seed in (("train", 5), ("dev", 6)):
        write_conllu(written_trees(40, seed), own / f"{split}.conllu")
    save_models(own, paragraphs)
    (entry,) = EDITION["models"]
    (checkout.folder / "small.yaml").write_text(yaml.safe_dump(SMALL))
    editions = ("tests/editions/reduced.yaml", "small.yaml", "mine.yaml")

    for models, targets in ((MODELS[:2], OF_TWO), (MODELS, (*TARGETS, *PAGES))):
        mine = [entry | {"name": name, "source": f"path:mine/{name}"} for name in models]
        checkout.overlay(**EDITION | {"models": mine})
        finished = checkout.snakemake(*targets, edition=editions)
        assert finished.status == 0, finished.text

    results = checkout.folder / "results" / "mine"
    for target in OF_TWO[:-1]:
        assert drawn(results, target) == set(MODELS[:2]), target
    assert list(read_table(results / "tables" / "comparison_headlines.csv")["model"].unique()) == list(MODELS[:2])
    shown = [results / "figures" / "comparison_figure_headlines.pdf", *(checkout.folder / page for page in PAGES)]
    assert all(file.is_file() for file in shown)
    assert not list((checkout.folder / "resources" / "mine").rglob("attention/**/*-of-1.safetensors"))
    assert set(read_table(results / "bert" / "tables" / "clark_positions.csv")["layer"]) == {1, 2, 3}
    for target in TARGETS:
        assert drawn(results, target) == set(MODELS) - WITHOUT.get(target, set()), target
    rest = checkout.snakemake("-n", edition=editions)
    assert rest.status == 0, rest.text
    assert {"clark_figure_6", "kovaleva_figure_2", "coenen_table_probes", "write_paper", "comparison_headlines"} <= set(
        rest.jobs
    )
