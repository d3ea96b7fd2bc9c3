"""Options of Snakemake that are given twice."""

import pytest

from bert_attention.errors import InputError
from bert_attention.running.options import check_options_once


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("--configfile a.yaml --cores 1 --configfile b.yaml", r"--configfile: .*ignore --configfile a.yaml\n.*once"),
        ("all --configfiles=a.yaml --configfile b.yaml c.yaml", r"--configfile: .*ignore --configfiles=a.yaml"),
        ("--config seed=1 -n --config edition=mine", r"--config: .*ignore --config seed=1"),
        ("-C seed=1 -Cedition=mine", r"--config: .*ignore -C seed=1"),
    ],
)
def test_an_option_that_snakemake_would_ignore_is_an_error(arguments, message):
    with pytest.raises(InputError, match=message):
        check_options_once(arguments.split())


@pytest.mark.parametrize(
    "arguments", ["--configfile a.yaml b.yaml --config seed=1 edition=mine", "-n --cores 2 --conda-prefix --config a=1"]
)
def test_options_with_several_values_are_given_once(arguments):
    check_options_once(arguments.split())
