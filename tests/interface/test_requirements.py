"""The corpora that results need."""

import pytest

from bert_attention.errors import InputError
from bert_attention.interface.requirements import check_can_be_made, check_is_table, corpora_for, figure_named, makeable
from bert_attention.results import results


@pytest.mark.parametrize(
    ("name", "problem", "command"),
    [
        ("kovaleva_features", "kovaleva_features needs encoders that were fine-tuned", "kovaleva"),
        ("kovaleva_figure_7", "kovaleva_cls needs encoders that were fine-tuned", "kovaleva_figure_7"),
        ("kobayashi_alignment_summary", "needs translation models", "kobayashi"),
        ("clark_figure_3_importance", "clark_importance is made by a rule", "clark_figure_3"),
        ("mlm_head", "mlm_head is made by a rule", ""),
        ("vig_patterns", "vig_patterns needs the whole articles", "vig"),
    ],
)
def test_results_of_the_workflow_have_a_reason_and_a_command(name, problem, command):
    with pytest.raises(InputError) as error:
        corpora_for(name)
    first, remedy = str(error.value).splitlines()
    assert first.startswith(f"{name}: cannot be made in memory: ")
    assert problem in first
    assert remedy.endswith(f"snakemake --cores 2 {command}".rstrip())


def test_an_error_names_missing_corpora():
    with pytest.raises(InputError, match=r"documents and trees(.|\n)*documents=\.\.\. and trees=\.\.\."):
        check_can_be_made("clark_figure_6", ["texts"])


def test_an_unknown_name_has_a_suggestion():
    with pytest.raises(InputError, match="did you mean clark_entropy"):
        corpora_for("clark_entropie")
    with pytest.raises(InputError, match="did you mean clark_figure_2"):
        figure_named("clark_figure_22")
    with pytest.raises(InputError, match=r"study\.available lists"):
        check_is_table("xyzzy")
    assert figure_named("clark_figure_2") == "clark_figure_2_positions"


@pytest.mark.parametrize(
    ("check", "name", "message"),
    [
        (check_is_table, "clark_figure_2", "is a figure, not a table\n  Remedy: call study.figure('clark_figure_2')"),
        (
            figure_named,
            "control/clark_entropy",
            "is a table, not a figure\n  Remedy: call study.table('clark_entropy')",
        ),
        (check_is_table, "clark_figure_22", "did you mean study.figure('clark_figure_2')?"),
        (figure_named, "clark_entropie", "did you mean study.table('clark_entropy')?"),
    ],
)
def test_an_error_names_the_method_for_the_other_kind_of_result(check, name, message):
    with pytest.raises(InputError) as error:
        check(name)
    assert message in str(error.value)


def test_every_result_can_be_made_or_has_an_error():
    everything = {"texts", "trees", "train_trees", "documents"}
    made = set(makeable(everything))
    for name, entry in results().tables.items():
        alone = entry.analysis and not entry.for_each and not entry.finetuned and name != "vig_patterns"
        assert (name in made) == bool(alone or entry.co_produced_by in made), name
