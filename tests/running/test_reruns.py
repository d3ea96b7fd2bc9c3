"""What an edit of a reader makes run again: what reads its format; for another wording of an error, nothing."""

import re
import shutil

import pytest

from bert_attention.results import READERS as RESULT_READERS
from bert_attention.running import codebase
from bert_attention.running.codebase import SOURCES, Codebase
from bert_attention.running.jobs import library_function

SCRIPTS = SOURCES / "scripts"
TREES = {
    *("attention/extract_word_attention.py", "clark/clark_probes.py", "clark/clark_split_words.py"),
    *("corpora/silver_treebank.py", "corpora/treebank.py", "corpora/treebank_for_model.py"),
    *("parsing/parse_text.py", "parsing/parser_accuracy.py", "parsing/stanza_pipeline.py"),
}
DOCUMENTS = {"corpora/coreference.py", "corpora/coreference_for_model.py", "corpora/miniature.py"}
TRANSLATIONS = {
    *("corpora/alignment.py", "corpora/miniature_translations.py"),
    *("kobayashi/kobayashi_aligners.py", "kobayashi/kobayashi_alignment.py"),
    *("models/translation_accuracy.py", "models/translation_model.py", "paper/explorer_of_translations.py"),
}
TASKS = {
    *("corpora/miniature.py", "corpora/task.py", "corpora/tasks_for_model.py", "kovaleva/kovaleva_finetuning.py"),
    *("kovaleva/kovaleva_disabled_heads.py", "models/fine_tuned_models.py", "parsing/parse_text.py"),
}
RUNNING_TEXT = {"corpora/wikipedia.py"}

# For each reader: words of an error, and the scripts that read or write its format. The rules of other formats name the
# readers that no script imports.
READERS = {
    "corpora.conllu": ("columns separated by tabs", TREES | DOCUMENTS),
    "corpora.corefud": ("is closed but was not opened", DOCUMENTS),
    "corpora.conll2012": ("is blanked out", set()),
    "corpora.glue": ("a sentence is empty", TASKS),
    "corpora.framenet": ("has no sentence with a target", set()),
    "corpora.frames": ("as whole words", {"kovaleva/kovaleva_frames.py"}),
    "corpora.alignments": ("is not a link in the notation given", TRANSLATIONS),
    "corpora.running_text": ("is not text in UTF-8", RUNNING_TEXT),
    "corpora.wikitext": ("has no text (null)", RUNNING_TEXT),
    "corpora.compressed": ("is not compressed, unlike its name", RUNNING_TEXT),
    "corpora.wikipedia": ("a page has more than", RUNNING_TEXT),
    "corpora.plain_text": (None, RUNNING_TEXT),
    "corpora.vectors": (
        "holds a number that is not finite",
        {"clark/clark_probes.py", "corpora/trained_vectors.py", "corpora/vectors.py"},
    ),
    "corpora.token_frequency": ("is not three whole numbers", {"corpora/token_ranks.py"}),
    "corpora.bad_lines": ("to leave such", TREES | DOCUMENTS | TRANSLATIONS | TASKS),
    "claims.publications": (
        "is not readable YAML",
        {"paper/paper.py", "paper/results_guide.py", "paper/scoreboard.py"},
    ),
}


def file_of(module, sources=SOURCES):
    return sources.joinpath("bert_attention", *module.split(".")).with_suffix(".py")


@pytest.fixture(scope="module")
def reached():
    """The files of the modules that each script reaches."""
    code = Codebase()
    return {
        path.relative_to(SCRIPTS).as_posix(): {SOURCES / name for name in code.digests(path)}
        for path in SCRIPTS.rglob("*.py")
    }


@pytest.mark.parametrize("module", READERS)
def test_a_reader_is_reached_by_what_reads_its_format(reached, module):
    reaching = {script for script, files in reached.items() if file_of(module) in files}
    assert reaching == READERS[module][1]


@pytest.mark.parametrize(
    ("script", "of_tables"),
    [
        ("attention/sum_up.py", set()),
        ("attention/tabulate.py", {"bert_attention/statistics/tables.py"}),
        ("paper/draw_figure.py", set()),
        ("paper/print_table.py", set()),
    ],
)
def test_what_makes_results_reaches_only_the_reader_of_tables(script, of_tables):
    """A rule adds the code of the readers that its entry of results.yaml names."""
    named = {reader.rpartition(".")[0].replace(".", "/") + ".py" for reader in RESULT_READERS.values()}
    readers = {file_of(module).relative_to(SOURCES).as_posix() for module in READERS}
    assert Codebase().digests(SCRIPTS / script).keys() & (named | readers) == of_tables


def test_types_reach_no_reader():
    assert list(Codebase().digests("bert_attention.corpora.types")) == ["bert_attention/corpora/types.py"]


@pytest.fixture(scope="module")
def copied_sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources") / "workflow"
    shutil.copytree(SOURCES, folder, ignore=lambda _, names: [name for name in names if name == "__pycache__"])
    return folder


@pytest.mark.parametrize("module", [module for module, (words, _) in READERS.items() if words])
def test_another_wording_of_an_error_reruns_nothing(copied_sources, monkeypatch, module):
    before = Codebase().digests(f"bert_attention.{module}")
    monkeypatch.setattr(codebase, "SOURCES", copied_sources)
    file = file_of(module, copied_sources)
    text = file.read_text()
    assert READERS[module][0] in text
    file.write_text(text.replace(READERS[module][0], "is wrong"))
    assert Codebase().digests(f"bert_attention.{module}") == before
    file.write_text(text)


def test_readers_that_rules_name_exist():
    named = re.findall(r'"(corpora\.\w+\.\w+)"', (SOURCES / "rules" / "corpora.smk").read_text())
    assert len(named) == 4
    assert all(callable(library_function(f"bert_attention.{name}")) for name in named)
