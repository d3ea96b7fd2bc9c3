"""Generate the miniature, and write each part in the usual format of its kind."""

from pathlib import Path

from bert_attention.corpora.corefud import write_corefud
from bert_attention.corpora.glue import write_task
from bert_attention.corpora.jsonlines import write_records
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from miniature import framed_sentences, generate_documents, pair_tasks


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    sizes = params.sentences
    write_corefud(generate_documents(sizes["train"], params.seed), output.train)
    write_corefud(generate_documents(sizes["dev"], params.seed + 1), output.dev)
    write_records(framed_sentences(sizes["dev"], params.seed + 1), output.frames)
    folders = {Path(folder).name: folder for folder in output.tasks}
    tasks = pair_tasks(params.task_examples["train"], params.task_examples["dev"], params.seed, folders)
    for name, task in tasks.items():
        write_task(task, folders[name])
    logger.info("miniature: %s", {"sentences": sizes, "tasks": params.task_examples})


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
