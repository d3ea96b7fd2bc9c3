"""Parse the raw text of corpora."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.glue import read_task, subsample
from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.texts import joined_texts, texts_of_articles, texts_of_task
from bert_attention.downloads.sources import obtain
from bert_attention.parsing.pipeline import load_pipeline, parse_texts
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script


def texts_of(corpus, params):
    """Return the raw texts of articles, or of the examples of a task that are analyzed."""
    if corpus.is_dir():
        return texts_of_task(subsample(read_task(corpus, corpus.name)[0], params.analyzed, params.seed))
    return texts_of_articles(read_articles(corpus))


def main(snakemake):
    params = snakemake.params
    torch.set_num_threads(snakemake.threads)
    pipeline = load_pipeline(obtain(**params.origin), device=params.device)
    for corpus, output in zip(map(Path, snakemake.input.texts), snakemake.output, strict=True):
        texts = texts_of(corpus, params)
        show = partial(progress, what=f"parsing {corpus.name}, batches")
        parsed = parse_texts(pipeline, list(texts.values()), progress=show)
        write_conllu(joined_texts(texts, parsed), output)
        logger.info("%s: %d texts, %d sentences", corpus.name, len(texts), sum(map(len, parsed)))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
