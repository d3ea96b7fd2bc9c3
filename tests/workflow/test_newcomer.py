"""A newcomer's path, as README.md has it: own models, own text and own treebank, with small random models."""

import re

import pytest
import yaml

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.running_text import read_running_text
from bert_attention.downloads.sources import locate
from bert_attention.tables import read_table
from tests.conftest import ROOT
from tests.models.published_tokenizers import published_tokenizer
from tests.models.random_models import LIKE_BERT, save_encoder, save_roberta, unigram_tokenizer
from tests.written import written_trees

README = (ROOT / "README.md").read_text(encoding="utf-8")
PATH = re.search(r"^## My own model, text and trees\n.*?(?=^## )", README, flags=re.S | re.M)[0]
EDITION = yaml.safe_load(re.search(r"```yaml\n(.*?)```", PATH, flags=re.S)[1])
# Results of the text, of the trees, and of both models. test_replication.py makes all figures of one model.
SHOWN = ("clark_figure_2", "clark_table_1")
MODELS = ("roberta", "deberta")  # byte-level BPE and 128 positions; Unigram and relative positions
EDITIONS = ("tests/editions/reduced.yaml", "mine.yaml")


def paragraphs_of(edition):
    """The paragraphs of some articles."""
    articles, _ = read_running_text(locate(edition["corpora"]["wikipedia"]["source"]), limit=25)
    return [" ".join(paragraph) for article in articles for paragraph in article.paragraphs]


@pytest.fixture
def newcomer(checkout, edition):
    """The project with a newcomer's files and edition, which keeps no attention."""
    own = checkout.folder / "mine"
    own.mkdir()
    paragraphs = paragraphs_of(edition)
    (own / "text.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    for split, seed in (("train", 5), ("dev", 6)):
        write_conllu(written_trees(40, seed), own / f"{split}.conllu")
    save_roberta(own / "roberta")
    tokenizer = unigram_tokenizer(paragraphs, special=LIKE_BERT)
    save_encoder(own / "deberta", "deberta-v2", tokenizer, max_position_embeddings=512)
    (entry,) = EDITION["models"]
    models = [entry | {"name": name, "source": f"path:mine/{name}"} for name in MODELS]
    checkout.overlay(**EDITION | {"models": models, "keep_attention": "none"})
    return checkout


def test_own_models_own_text_and_own_trees_give_figures(newcomer):
    finished = newcomer.snakemake(*SHOWN, edition=EDITIONS)
    assert finished.status == 0, finished.text
    results = newcomer.folder / "results" / "mine"
    for target in SHOWN:
        assert {file.parts[-3] for file in results.glob(f"*/*/{target}*.[pm]d*")} == set(MODELS), target
    assert set(read_table(results / "roberta" / "tables" / "clark_positions.csv")["layer"]) == {1, 2, 3}
    assert not list((newcomer.folder / "resources" / "mine").rglob("attention/**/*-of-1.safetensors"))
    rest = newcomer.snakemake("-n", edition=EDITIONS)
    assert rest.status == 0, rest.text
    missing = {"clark_figure_6", "kovaleva_table_1", "coenen_table_probes", "make_explorer", "write_paper"}
    assert missing <= set(rest.jobs)
    assert rest.jobs["vig_figure_neurons"] == 1  # DeBERTa has no such scores


@pytest.mark.long
def test_own_models_are_compared(newcomer):
    finished = newcomer.snakemake("comparison", edition=EDITIONS)
    assert finished.status == 0, finished.text
    results = newcomer.folder / "results" / "mine" / "edition"
    assert list(read_table(results / "tables" / "comparison_headlines.csv")["model"].unique()) == list(MODELS)
    assert (results / "figures" / "comparison_figure_headlines.pdf").is_file()
    differences = read_table(results / "tables" / "comparison_differences.csv")
    assert {*differences["model"], *differences["other_model"]} == set(MODELS)
    assert differences["is_paired"].any()  # both read the same running text


@pytest.mark.long
def test_special_tokens_as_in_the_published_files_give_all_figures(checkout, edition):
    """MPNet's and RoBERTa's masks take in the space before them. RoBERTa has two segment types, its default."""
    paragraphs = paragraphs_of(edition)
    sizes = {"mpnet": {}, "roberta": {"max_position_embeddings": 131, "type_vocab_size": 2}}
    for kind, changes in sizes.items():
        save_encoder(checkout.folder / kind, kind, published_tokenizer(kind, paragraphs), **changes)
    checkout.overlay(models=[{"name": kind, "source": f"path:{kind}", "mlm_head": "fit"} for kind in sizes])
    finished = checkout.snakemake("clark", "kobayashi", "vig", edition=EDITIONS)
    assert finished.status == 0, finished.text
    results = checkout.folder / "results" / "mine"
    for kind in sizes:
        made = {file.stem for file in (results / kind / "figures").glob("*.pdf")}
        assert {"clark_figure_5_linguistic_heads", "clark_figure_6_clusters", "vig_figure_neurons"} <= made
        heads = read_table(results / kind / "tables" / "clark_coreference.csv")
        assert heads["accuracy"].notna().any()
