"""The inputs of results are named before anything is computed."""

import pytest

from bert_attention.errors import InputError
from bert_attention.interface.requirements import check_can_be_made, corpora_for, figure_named, makeable
from bert_attention.results import results


def test_corpora_behind_a_result_are_those_of_all_its_tables():
    assert corpora_for("clark_entropy") == {"texts"}
    assert corpora_for("clark_figure_6") == {"texts", "trees", "documents"}
    assert corpora_for("kobayashi_mixing_frequency_bins") == {"texts"}
    assert corpora_for("coenen_relations") == {"trees", "train_trees"}
    assert corpora_for("control/clark_dependency_heads") == {"trees"}


@pytest.mark.parametrize(
    ("name", "told", "command"),
    [
        ("kovaleva_features", "kovaleva_features is of encoders that were fine-tuned", "snakemake --cores 2 kovaleva"),
        (
            "kovaleva_figure_7",
            "kovaleva_cls is of encoders that were fine-tuned",
            "snakemake --cores 2 kovaleva_figure_7",
        ),
        ("kobayashi_alignment_summary", "is of translation models", "snakemake --cores 2 kobayashi"),
        ("clark_figure_3_importance", "clark_importance is made by a rule", "snakemake --cores 2 clark_figure_3"),
        ("mlm_head", "mlm_head is made by a rule", "snakemake --cores 2"),
    ],
)
def test_what_cannot_be_made_in_memory_says_why_and_how_it_can(name, told, command):
    with pytest.raises(InputError) as error:
        corpora_for(name)
    lines = str(error.value).splitlines()
    assert lines[0].startswith(f"{name}: cannot be made in memory: ")
    assert told in lines[0]
    assert lines[1].endswith(command)


def test_a_corpus_that_is_lacking_is_named():
    with pytest.raises(InputError, match=r"documents and trees(.|\n)*documents=\.\.\. and trees=\.\.\."):
        check_can_be_made("clark_figure_6", ["texts"])


def test_an_unknown_name_has_a_guess():
    with pytest.raises(InputError, match="did you mean clark_entropy"):
        corpora_for("clark_entropie")
    with pytest.raises(InputError, match="did you mean clark_figure_2"):
        figure_named("clark_figure_22")
    assert figure_named("clark_figure_2") == "clark_figure_2_positions"


def test_every_result_can_be_made_or_is_refused():
    """A new entry of results.yaml is one or the other, too."""
    everything = {"texts", "trees", "train_trees", "documents"}
    made = set(makeable(everything))
    for name, entry in results().tables.items():
        alone = entry.analysis and not entry.for_each and not entry.finetuned
        assert (name in made) == bool(alone or entry.co_produced_by in made), name
