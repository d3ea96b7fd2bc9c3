"""Read one task of GLUE."""

from bert_attention.corpora.glue import read_labelled_lines, read_task, subsample, write_task
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import log_counts, logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    params, name = snakemake.params, snakemake.wildcards.task
    origin = obtain(**params.origin)
    if origin.is_dir():
        found, left_out = read_task(origin, name, params.on_bad_input)
    else:
        found, left_out = read_labelled_lines(origin, name, params.seed, params.on_bad_input)
    task = subsample(found, params.examples["dev"], params.seed, params.examples["train"])
    write_task(task, snakemake.output[0])
    log_counts("left out", left_out)
    logger.info("%s: %d examples to train on, %d to validate", name, len(task.train), len(task.validation))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
