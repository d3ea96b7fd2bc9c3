"""Scripts of rules: their log, their GPU and their errors."""

from tests.conftest import ROOT


def test_every_script_has_a_log_and_a_gpu_of_its_own():
    scripts = sorted((ROOT / "workflow" / "scripts").glob("*/*.py"))
    others = [file.name for file in scripts if "\n    run_script(main, snakemake)" not in file.read_text()]
    assert (len(scripts) > 40, others) == (True, [])
