"""An edit of a reader makes run again what reads its format, and nothing else."""

import re

import pytest

from bert_attention.plan import READERS as RESULT_READERS
from bert_attention.running.codebase import SOURCES, modules_reached
from bert_attention.running.jobs import library_function

SCRIPTS = SOURCES / "scripts"
TREES = {
    *("attention/extract_word_attention.py", "clark/clark_probes.py", "clark/clark_split_words.py"),
    *("corpora/silver_treebank.py", "corpora/treebank.py", "corpora/treebank_for_model.py"),
    *("corpora/stand_in_frames.py", "corpora/stand_in_translations.py", "parsing/parse_text.py"),
    *("parsing/parse_with_spacy.py", "parsing/parser_accuracy.py", "parsing/stanza_pipeline.py"),
}
DOCUMENTS = {"corpora/coreference.py", "corpora/coreference_for_model.py", "corpora/stand_in_coreference.py"}
TRANSLATIONS = {
    *("corpora/alignment.py", "corpora/stand_in_translations.py"),
    *("kobayashi/kobayashi_aligners.py", "kobayashi/kobayashi_alignment.py"),
    *("models/translation_accuracy.py", "models/translation_model.py", "paper/explorer_of_translations.py"),
}
TASKS = {
    *("corpora/task.py", "corpora/tasks_for_model.py", "kovaleva/kovaleva_finetuning.py"),
    *("kovaleva/kovaleva_disabled_heads.py", "models/fine_tuned_models.py", "parsing/parse_text.py"),
}
RUNNING_TEXT = {"corpora/wikipedia.py"}

# For each reader: the scripts that read or write its format. The rules of other formats name the
# readers that no script imports.
READERS = {
    "corpora.conllu": TREES | DOCUMENTS,
    "corpora.corefud": DOCUMENTS,
    "corpora.conll2012": set(),
    "corpora.glue": TASKS,
    "corpora.framenet": set(),
    "corpora.frames": {"kovaleva/kovaleva_frames.py"},
    "corpora.alignments": TRANSLATIONS,
    "corpora.running_text": RUNNING_TEXT,
    "corpora.wikitext": RUNNING_TEXT,
    "corpora.wikipedia": RUNNING_TEXT,
    "corpora.plain_text": RUNNING_TEXT,
    "corpora.vectors": {"clark/clark_probes.py", "corpora/trained_vectors.py", "corpora/vectors.py"},
    "corpora.token_frequency": {"corpora/token_ranks.py"},
    "claims.publications": {"paper/paper.py", "paper/results_guide.py", "paper/scoreboard.py"},
}


def file_of(module):
    return SOURCES.joinpath("bert_attention", *module.split(".")).with_suffix(".py")


@pytest.fixture(scope="module")
def reached():
    """The files of the modules that each script reaches."""
    return {path.relative_to(SCRIPTS).as_posix(): set(modules_reached(path)) for path in SCRIPTS.rglob("*.py")}


@pytest.mark.parametrize("module", READERS)
def test_a_reader_is_reached_by_what_reads_its_format(reached, module):
    reaching = {script for script, files in reached.items() if file_of(module) in files}
    assert reaching == READERS[module]


@pytest.mark.parametrize(
    ("script", "of_tables"),
    [
        ("attention/sum_up.py", set()),
        ("attention/tabulate.py", {"statistics.tables"}),
        ("attention/analyze.py", {"statistics.tables"}),
        ("paper/draw_figure.py", set()),
        ("paper/print_table.py", set()),
    ],
)
def test_what_makes_results_reaches_only_the_reader_of_tables(script, of_tables):
    """A rule adds the code of the readers that its entry of results.yaml names."""
    named = {reader.removeprefix("bert_attention.").rpartition(".")[0] for reader in RESULT_READERS.values()}
    readers = {file_of(module) for module in named | READERS.keys()}
    assert set(modules_reached(SCRIPTS / script)) & readers == set(map(file_of, of_tables))


def test_types_reach_no_reader():
    assert modules_reached("bert_attention.corpora.types") == [file_of("corpora.types")]


def test_readers_that_rules_name_exist():
    named = re.findall(r'"bert_attention\.(corpora\.\w+\.\w+)"', (SOURCES / "rules" / "corpora.smk").read_text())
    assert len(named) == 4
    assert all(callable(library_function(f"bert_attention.{name}")) for name in named)
