"""The papers' analyses in memory."""

import re
import runpy
import sys
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import torch
import yaml
from matplotlib.backends.backend_agg import FigureCanvasAgg
from snakemake.iocontainers import Namedlist

from bert_attention import AttentionModel, InputError, Study, draw, interval
from bert_attention.attention.contents import control_number, control_seeds, store_name, store_settings, without_number
from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments
from bert_attention.interface import study as study_module
from bert_attention.plan import Plan
from bert_attention.results import CONTROL, results
from bert_attention.running.edition_checks import validated
from bert_attention.tables import read_table
from bert_attention.tokenization.texts import segments_of
from bert_attention.tokenization.wordpieces import mark_word_starts
from tests.conftest import ROOT
from tests.figures.users_styles import USERS_STYLES
from tests.models.random_models import byte_level_tokenizer, save_encoder
from tests.written import written_documents, written_trees

SCRIPTS = ROOT / "workflow" / "scripts" / "attention"
SEED = 1906
SEGMENT_IDS = results().segment_ids
SEEDS = {"": None} | control_seeds(SEED, 3)
RUN = {"model": "m", "device": "cpu", "batch_size": 16}
DOCUMENTS = written_documents(20)
TREES = [sentence for document in DOCUMENTS for sentence in document.sentences]
TEXTS = [tuple(" ".join(sentence.forms) for sentence in pair) for pair in zip(TREES[:24:2], TREES[1:24:2], strict=True)]


@pytest.fixture(scope="module")
def study(small_model):
    return Study(small_model, texts=TEXTS, trees=TREES, train_trees=written_trees(50, seed=1), documents=DOCUMENTS)


def test_the_inputs_show_what_was_read(study):
    """They print as text, and are HTML in a notebook."""
    text, html = repr(study.inputs), study.inputs._repr_html_()
    assert text == str(study.inputs)
    titles = [line.partition(":")[0] for line in text.splitlines() if line[0] != " "]
    assert titles == ["running text", "treebank, dev", "treebank, train", "coreference"]
    assert f"treebank, dev: {len(TREES)} sentences, {sum(len(tree.words) for tree in TREES)} words" in text
    assert text.count("; 0% of the tokens are unknown") == len(titles)
    first = " ".join(study.model.tokenizer.convert_ids_to_tokens(study._sequences("segments", "zeros")[0].token_ids))
    assert f"[CLS] {text.partition('first part: ')[2].splitlines()[0]} [SEP]" in first
    assert [title.lower() for title in re.findall("<h3>(.*?)</h3>", html)] == titles


def test_a_study_says_what_it_is_of(study, small_model):
    trees = f"treebank, dev ({len(TREES)}), treebank, train ({len(written_trees(50, seed=1))})"
    assert repr(study) == (f"<Study of {small_model.name}: running text (12), {trees}, coreference ({len(DOCUMENTS)})>")
    assert repr(Study(small_model)).endswith(": no corpora>")


@pytest.mark.parametrize("most", [2, None])
def test_the_inputs_count_what_was_left_out(small_model, tmp_path, most):
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(f"{text} {other} It rained." for text, other in TEXTS), encoding="utf-8")
    lines = repr(Study(small_model, texts=path, most_segments=most, max_wordpieces=40).inputs).splitlines()
    assert lines[0].startswith("running text: 2 segments" if most else "running text: ")
    assert ("segments not drawn (" in lines[1]) == bool(most)


@pytest.mark.parametrize(("form", "segments"), [("lines", 12), ("plain", 1)])
def test_an_unclear_layout_of_a_text_can_be_named(small_model, tmp_path, form, segments):
    path = tmp_path / "text.txt"
    path.write_text("\n\n".join(f"{text}\n{other}\nIt rained." for text, other in TEXTS), encoding="utf-8")
    with pytest.raises(InputError, match=r"text_format"):
        Study(small_model, texts=path)
    study = Study(small_model, texts=path, text_format=form, max_wordpieces=64)
    assert len({segment.article for segment in study._segments}) == segments


class Workflow:
    """The scripts of the workflow in a folder, called as the rules call them. Each method returns a file."""

    def __init__(self, folder, model):
        self.folder = folder
        self.model_files = {
            "weights": [f"{model.name}/model.safetensors"],
            "tokenizer": [f"{model.name}/tokenizer.json"],
        }
        write_records(segments_of(TEXTS, model.tokenizer), folder / "segments.jsonl")
        write_conllu(TREES, folder / "treebank_dev.conllu")

    def run(self, script, output, files, **params):
        output = self.folder / output
        log = {"rule": script, "log": [self.folder / "log"], "threads": 1}
        lists = {"input": files, "output": {"made": output}, "params": params}
        wildcards = SimpleNamespace(scatteritem="1-of-1", table=output.name, corpus="corpus")
        named = {name: Namedlist(fromdict=values) for name, values in lists.items()}
        runpy.run_path(str(SCRIPTS / script))["main"](SimpleNamespace(wildcards=wildcards, **named, **log))
        return output

    def store(self, name):
        is_text = "segments" in name
        corpus = self.folder / ("segments.jsonl" if is_text else f"{without_number(name)}.conllu")
        shard = self.folder / name / "1-of-1.safetensors"
        if not shard.exists():
            how = {"run": RUN, "store_settings": store_settings(name, SEGMENT_IDS, SEED, "mean")}
            how |= {"weights_seed": SEEDS[control_number(name)], "most": None}
            self.run("extract_attention.py", shard, {"corpus": corpus, **self.model_files}, **how)
        return [shard]

    def table(self, name):
        plan = Plan(results(), control_seeds=["1", "2", "3"])
        entry, inputs = results().table(name), plan.inputs(name)
        if entry.units and name.startswith(CONTROL):
            files = {"sums": [self.sums_of_pass(name, inputs, plan.function(name, "sums"))]}
        else:
            files = {each.key: self.source(each) for each in inputs}
        functions = {"function": plan.function(name), "sums": plan.function(name, "sums") if entry.units else None}
        params = {"table": name, "kwargs": dict.fromkeys(entry.kwargs, SEED), "statistics": entry.statistics}
        return self.run("tabulate.py", f"{name}.csv", files, inputs=inputs, **functions, **params)

    def sums_of_pass(self, name, inputs, function):
        attention = [each for each in inputs if each.kind == "attention"]
        (corpus,) = {each.corpus for each in attention}
        corpus = self.folder / (f"{corpus}.jsonl" if corpus == "segments" else f"{corpus}.conllu")
        files = {"corpus": corpus, **self.model_files}
        files |= {each.source: self.source(each) for each in inputs if each.kind != "attention"}
        stores = {each.name: store_name(each.name, each.paper, SEGMENT_IDS) for each in attention}
        settings = {key: store_settings(store, SEGMENT_IDS, SEED, "mean") for key, store in stores.items()}
        how = {"settings": settings, "seeds": SEEDS, "most": None, "run": RUN}
        analyses = {"tables": {name: inputs}, "functions": {name: function}}
        return self.run("sum_up_pass.py", f"{name}.sums", files, **analyses, **how)

    def source(self, each):
        name = each.name
        match each.kind:
            case "attention":
                return self.store(store_name(name, each.paper, SEGMENT_IDS, number=each.seed))
            case "table":
                return self.table(name)
        return self.folder / f"{name}.conllu"


@pytest.fixture(scope="module")
def workflow(small_model, tmp_path_factory):
    return Workflow(tmp_path_factory.mktemp("workflow"), small_model)


@pytest.mark.parametrize(
    "name",
    [
        "clark_entropy",
        "kobayashi_dispersion",
        "clark_dependency_heads",
        "clark_examples",
        "control/clark_special_tokens",
        "control/kobayashi_dispersion",
        "clark_head_clusters",
    ],
)
def test_a_table_is_identical_to_the_workflows(study, workflow, name):
    """Tables of attention, of norms, of words, of tables, of a control, and of a control's table."""
    expected = workflow.table(name)
    assert study.table(name).to_csv(index=False, float_format="%.6g", lineterminator="\n") == expected.read_text()
    assert len(read_table(expected)) > 3


def test_all_available_results_can_be_made(study):
    assert len(study.available) > 25
    for name in study.available:
        if name in results().tables:
            assert len(study.table(name))
        else:
            assert study.figure(name).axes


def test_a_control_has_several_random_encoders(study):
    own, control = (study.table(f"{prefix}clark_entropy") for prefix in ("", "control/"))
    assert [*control] == ["seed", *own]
    entropies = [table["entropy"].to_numpy() for table in (own, *(rows for _, rows in control.groupby("seed")))]
    assert all(abs(one - other).max() > 0.001 for one, other in combinations(entropies, 2))


def test_replicates_give_the_intervals_of_a_table(study):
    table = study.table("clark_entropy")
    found = interval(lambda rows: rows["entropy"].to_numpy(), study.replicates("clark_entropy"))
    np.testing.assert_allclose(found.low, table["low"])
    assert (table["low"] < table["entropy"]).all()


def test_the_encoder_runs_once_over_a_corpus(small_model, monkeypatch):
    runs = []
    study = Study(small_model, texts=TEXTS[:3])
    extract = Study._extract
    monkeypatch.setattr(Study, "_extract", lambda self, name, model: runs.append(name) or extract(self, name, model))
    for name in ("clark_positions", "clark_entropy", "clark_positions", "kobayashi_dispersion"):
        study.table(name)
    assert runs == ["segments_zeros", "segments_pair"]


def change_a_weight(model):
    with torch.no_grad():
        model.encoder.layer[1].attention.output.dense.weight[:, 8:16] = 0


def add_a_hook(model):
    model.encoder.layer[1].register_forward_hook(lambda _module, _inputs, output: output)


@pytest.mark.parametrize("change", [change_a_weight, add_a_hook])
def test_all_tables_of_a_study_are_of_the_same_weights(small_model, change):
    model = small_model.with_random_weights(1)
    study = Study(model, texts=TEXTS[:3])
    change(model.encoder.model)  # no table has been made
    before = study.table("clark_entropy")
    change(model.encoder.model)
    pd.testing.assert_frame_equal(study.table("clark_entropy"), before)  # remembered
    for name in ("clark_positions", "kobayashi_dispersion", "control/clark_entropy"):
        with pytest.raises(
            InputError, match=r"have changed, .* since this study first ran it\n  Remedy: make a new Stu"
        ):
            study.table(name)
    assert len(Study(model, texts=TEXTS[:3]).table("clark_positions"))


@pytest.mark.parametrize(("is_terminal", "delay", "is_shown"), [(True, 0, True), (True, 60, False), (False, 0, False)])
def test_a_terminal_shows_a_progress_bar_after_some_seconds(
    small_model, monkeypatch, capsys, is_terminal, delay, is_shown
):
    monkeypatch.setattr(study_module, "_SECONDS_WITHOUT_BAR", delay)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: is_terminal, raising=False)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    Study(small_model, texts=TEXTS[:3]).table("clark_entropy")
    shown = capsys.readouterr().err
    assert ("clark_entropy" in shown) == ("attention, segments_zeros" in shown) == is_shown


def test_a_figure_is_drawn_from_tables(study):
    table = study.table("clark_positions")
    figure = draw("clark_figure_2", {"clark_positions": table}, published_curves=True)
    points, without = (
        sum(len(line.get_xdata()) for line in drawn.axes[0].lines) for drawn in (figure, study.figure("clark_figure_2"))
    )
    assert points == without + 3 * 12  # the published means of three kinds of token in 12 layers
    assert max(max(line.get_xdata()) for line in figure.axes[0].lines) < table["layer"].max() + 0.5  # by relative depth
    with pytest.raises(InputError, match="clark_positions"):
        draw("clark_figure_2", {"clark_entropy": table})


@pytest.mark.parametrize("users_style", USERS_STYLES)
@pytest.mark.parametrize("name", ["clark_figure_2", "kobayashi_figure_frequency"])
def test_a_figure_looks_the_same_in_every_style_of_a_notebook(study, name, users_style):
    """A notebook shows the figure in the user's own style, after the figure was drawn."""

    def pixels():
        canvas = FigureCanvasAgg(study.figure(name))
        canvas.draw()
        return np.asarray(canvas.buffer_rgba())

    expected = pixels()
    with mpl.rc_context(users_style):
        np.testing.assert_array_equal(pixels(), expected)


def test_files_are_read_as_the_workflow_reads_them(small_model, tmp_path):
    write_conllu(TREES, tmp_path / "dev.conllu")
    (tmp_path / "text.txt").write_text("\n\n".join(" ".join(" ".join(s.forms) for s in TREES) for _ in range(3)))
    study = Study(small_model, texts=tmp_path / "text.txt", trees=str(tmp_path / "dev.conllu"), most_segments=2)
    assert study.table("clark_entropy")["n"].iloc[0] == 2
    assert study.corpora == ["texts", "trees"]
    expected = Study(small_model, trees=TREES).table("clark_special_tokens")
    pd.testing.assert_frame_equal(study.table("clark_special_tokens"), expected)
    with pytest.warns(UserWarning, match=r"trees: left out \d+ sentences of more than 10 wordpieces"):
        study = Study(small_model, trees=TREES, max_wordpieces=12)
    assert study.table("clark_special_tokens")["n"].iloc[0] < expected["n"].iloc[0]


def test_one_text_has_no_intervals_and_no_results_of_other_corpora(small_model):
    study = Study(small_model, texts=["The cat sat."])
    table = study.table("clark_entropy")
    assert table["low"].isna().all()
    assert table["entropy"].notna().all()
    with pytest.raises(InputError, match=r"trees=\.\.\."):
        study.table("clark_dependency_heads")
    with pytest.raises(InputError, match="translation models"):
        study.table("kobayashi_alignment")


def test_a_family_without_mixing_ratios_has_the_other_results(tmp_path):
    folder = save_encoder(tmp_path, "modernbert", byte_level_tokenizer(["The cat sat."] * 3))
    study = Study(AttentionModel.from_pretrained(folder, device="cpu"), texts=["The cat sat.", "The mat."])
    assert len(study.table("kobayashi_dispersion"))
    with pytest.raises(InputError, match="ModernBERT has no mixing"):
        study.table("kobayashi_mixing")


def test_segment_ids_are_those_of_the_default_edition():
    config = validated(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8")))
    assert config["segment_ids"] == SEGMENT_IDS
    assert config["seed"] == SEED == Study.__init__.__kwdefaults__["seed"]


@pytest.mark.parametrize("seed", [5, 4_000_000_000])
def test_seeds_can_be_numbers_of_numpy(small_model, seed):
    """The first random encoder has the study's seed, the second a larger one."""
    found, expected = (
        Study(small_model, texts=TEXTS, seed=kind(seed), control_seeds=kind(2)).table("control/clark_entropy")
        for kind in (np.int64, int)
    )
    pd.testing.assert_frame_equal(found, expected)


def test_a_warning_counts_the_skipped_parts_of_a_text(small_model, tmp_path):
    """The workflow logs the same counts."""
    path = tmp_path / "text.txt"
    long = "今天早上下雨了孩子们想去公园" * 9
    known = "The cats and the children went to the park, and then they all went home again."
    paragraphs = ["A heading", *[f"{long}. Then, 我们 went.\n\n{known} {known}"] * 3, "Cats sleep."]
    path.write_text("\n\n".join(paragraphs), encoding="utf-8")
    with pytest.warns(UserWarning) as warnings:
        Study(small_model, texts=path, max_wordpieces=40)
    messages = {str(warning.message) for warning in warnings}
    articles, unread = read_running_text(path)
    budget = 40 - len(small_model.tokenizer.layout)
    _, uncut = build_segments(articles, partial(mark_word_starts, small_model.tokenizer), "sentences", budget, SEED)
    assert messages == {f"texts: left out {count} {reason}" for reason, count in (unread + uncut).items()}
    assert {"texts: left out 1 headings and other short lines"} < messages
    assert {Path(warning.filename).name for warning in warnings} == {"test_study.py"}


@pytest.mark.filterwarnings("ignore:.*too few independent texts for intervals")
def test_trees_of_one_document_and_parts_of_one_text_have_held_out_scores(small_model):
    trees = [replace(tree, document=1) for tree in TREES]
    parts = [replace(part, id=f"novel {number:03}", text="novel") for number, part in enumerate(DOCUMENTS)]
    study = Study(small_model, trees=trees, documents=parts)
    for table in ("clark_dependency_heads", "clark_coreference"):
        with pytest.warns(UserWarning, match="belong to one text, so there are no intervals"):
            rows = study.table(table)
        held_out = rows[rows["selection"] == "held_out"]
        assert held_out["accuracy"].notna().any()
        assert held_out["low"].isna().all()
