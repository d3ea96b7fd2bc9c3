"""The plan of results: their sources, their files, and the results of an edition."""

from dataclasses import replace

import pytest

from bert_attention.plan import Plan, by_group, group_of, target
from bert_attention.results import results
from bert_attention.running.encoders import PlannedEncoder

BERT = PlannedEncoder("bert", 2)
WITHOUT_MIXING = PlannedEncoder("modernbert", 1)


def plan_of(**encoders):
    return Plan(results(), "small", list(results().papers), encoders)


ONE, TWO = plan_of(one=BERT), plan_of(one=BERT, two=WITHOUT_MIXING)


def test_each_encoder_has_a_folder():
    assert ONE.tables("clark_entropy") == ["results/small/one/tables/clark_entropy.csv"]
    assert TWO.tables("clark_entropy") == [f"results/small/{name}/tables/clark_entropy.csv" for name in ("one", "two")]
    assert TWO.tables("kobayashi_alignment") == ["results/small/edition/tables/kobayashi_alignment.csv"]
    assert ONE.table("scoreboard") == TWO.table("scoreboard") == "results/small/scoreboard.csv"


def test_only_tables_with_statistics_have_replicates():
    assert TWO.replicates("clark_entropy") == "results/small/{model}/tables/clark_entropy.parquet"
    assert ONE.replicates("comparison_headlines") == "results/small/edition/tables/comparison_headlines.parquet"
    assert ONE.replicates("clark_pattern_examples") == ONE.table("clark_pattern_examples")


def test_a_family_without_an_analysis_has_no_result_of_it():
    assert TWO.models_with("kobayashi_mixing") == ["one"]
    assert TWO.tables("kobayashi_mixing") == ["results/small/one/tables/kobayashi_mixing.csv"]
    assert "kobayashi_dispersion" in TWO.tables_in_paper("two")
    assert not [name for name in TWO.tables_in_paper("two") + TWO.shown_in_paper("two") if "mixing" in name]
    assert "results/small/one/figures/kobayashi_figure_mixing.pdf" in TWO.shown_in_paper("one")


def test_groups_are_the_papers_of_the_edition_and_the_comparison_of_several_models():
    assert "comparison" not in ONE.groups()
    assert TWO.group_files("comparison")[0] == "results/small/edition/tables/comparison_headlines.csv"
    some = Plan(results(), "small", ["vig", "clark"], {"one": BERT, "two": BERT})
    assert list(some.groups()) == ["clark", "vig"]  # the comparison also shows norms
    assert {group_of(name) for name in (*some.tables_made, *some.results_shown)} == {"clark", "vig"}


@pytest.mark.parametrize("group", results().papers)
def test_a_paper_lists_each_result_once(group):
    files = replace(ONE, left_out={"kovaleva_repeated_words"}).group_files(group)
    tables = {ONE.table(name).format(model="one") for name in results().tables if group_of(name) == group}
    without_inputs = ONE.table("kovaleva_repeated_words").format(model="one")
    assert {file for file in files if file.endswith(".csv")} == tables - {without_inputs}
    assert len(files) == len(set(files))
    figures = [name for name in results().figures if group_of(name) == group]
    assert len([file for file in files if file.endswith(".pdf")]) == len(figures)


SEEDS = ["1", "2"]
OF_TASKS = replace(ONE, tasks=["nsp", "sst2"], pair_tasks=["nsp"], control_seeds=SEEDS)


def test_a_control_of_tasks_reads_each_seed_and_task_by_a_unique_name():
    inputs = OF_TASKS.inputs("control/kovaleva_pattern_disagreement")
    by_seed_and_task = by_group(inputs)
    assert list(by_seed_and_task) == ["1/nsp", "1/sst2", "2/nsp", "2/sst2"]
    arguments = [each.argument for each in by_seed_and_task["2/nsp"]]
    assert arguments == ["pretrained_sequence", "finetuned_sequence", "classifier"]
    assert inputs[0].key == "pretrained_sequence_nsp_1"
    assert len({each.key for each in inputs}) == len(inputs)
    assert {each.task for each in OF_TASKS.inputs("kovaleva_repeated_words")} == {"nsp"}
    assert ONE.inputs("kovaleva_repeated_words") == []  # no tasks


def test_a_control_reads_one_seed_of_controls_and_all_of_other_tables():
    inputs = {each.key: each for each in OF_TASKS.inputs("control/kovaleva_patterns")}
    assert (inputs["maps_2"].kind, inputs["maps_2"].name) == ("table", "control/kovaleva_pattern_disagreement")
    assert inputs["maps_2"].is_control
    assert inputs["confusion_2"].name == "kovaleva_pattern_confusion"
    assert not inputs["confusion_2"].is_control
    (_, random) = ONE.inputs("clark_head_clusters")
    assert (random.kind, random.name) == ("table", "control/clark_head_distances")
    assert not random.is_control  # it gets the rows of all seeds


def test_a_table_of_a_stand_in_has_no_control():
    plan = replace(OF_TASKS, stand_ins=["frames", "coreference"])
    of_stand_ins = {"clark_coreference", "kovaleva_frames", "kovaleva_frame_offsets", "kovaleva_frame_example"}
    gone = {f"control/{name}" for name in of_stand_ins}
    assert set(OF_TASKS.controls_made) - set(plan.controls_made) == gone
    assert set(OF_TASKS.tables_of_models) - set(plan.tables_of_models) == gone
    assert set(plan.tables_made) == set(OF_TASKS.tables_made)
    assert "control/clark_coreference" in set(OF_TASKS.summed) - set(plan.summed)
    assert OF_TASKS.in_pass("one", "control/", "clark", "coreference")
    assert not plan.in_pass("one", "control/", "clark", "coreference")


def test_the_table_that_an_analysis_makes_comes_before_co_produced_tables():
    assert ONE.made_by("kobayashi_frequency") == ["kobayashi_frequency", "kobayashi_frequency_bins"]
    assert ONE.made_by("control/kobayashi_frequency")[1] == "control/kobayashi_frequency_bins"
    assert ONE.maker("control/kobayashi_frequency_bins") == "control/kobayashi_frequency"
    assert ONE.has_control("kobayashi_frequency_bins")
    assert ONE.outputs("kobayashi_correlation") == [
        f"results/small/{{model}}/tables/kobayashi_correlation{ending}" for ending in (".csv", ".parquet", "_bins.csv")
    ]
    files = ONE.files_with_control("kobayashi_correlation_bins")
    assert files == ["results/small/{model}/tables/{control}kobayashi_correlation_bins.csv"]


def test_a_target_is_a_name_up_to_its_number():
    assert target("clark_figure_4_entropy") == "clark_figure_4"
    assert target("kovaleva_figure_6b_features") == "kovaleva_figure_6b"
    assert target("vig_figure_patterns") == "vig_figure_patterns"
    assert target("clark_table_1_dependency_heads") == "clark_table_1"
    assert target("control/clark_positions") == "control_clark_positions"
    named = [*results().shown, *ONE.tables_of_models]
    assert len({target(name) for name in named}) == len(named)


def test_a_pass_adds_up_the_analyses_of_a_paper_that_read_a_corpus():
    plan = replace(ONE, tasks=["rte", "qqp"], control_seeds=SEEDS)
    found = {
        (control, paper, corpus): plan.in_pass("one", control, paper, corpus)
        for control in ("", "control/")
        for paper, corpus in (("clark", "segments"), ("clark", "treebank_dev"), ("kobayashi", "segments"))
    }
    assert set(found["control/", "clark", "segments"]) == {
        f"control/clark_{table}" for table in ("positions", "entropy", "head_distances")
    }
    # An analysis that reads two stores of segments, and ranks.
    mixing = found["control/", "kobayashi", "segments"]["control/kobayashi_mixing"]
    assert {each.name for each in mixing} == {"segments", "masked_segments", ""}
    assert {each.seed for each in mixing} == {"1", "2"}
    assert found["", "clark", "treebank_dev"].keys() == {
        f"clark_{table}" for table in ("dependency_heads", "special_tokens", "no_op")
    }
    of_task = plan.in_pass("one", "control/", "kovaleva", "tasks/rte")
    assert {each.task for inputs in of_task.values() for each in inputs} == {"rte"}
    assert not plan.in_pass("one", "", "kovaleva", "treebank_dev")
