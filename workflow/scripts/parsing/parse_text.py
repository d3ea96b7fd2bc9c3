"""Parse the raw text of a corpus."""

from functools import partial
from pathlib import Path

import torch

from bert_attention.corpora.conllu import write_conllu
from bert_attention.corpora.glue import read_task
from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.texts import joined_texts, texts_of_articles, texts_of_task
from bert_attention.downloads.sources import obtain
from bert_attention.parsing.pipeline import load_pipeline, parse_texts
from bert_attention.running.jobs import configure_logging, logger, progress


def main(snakemake):
    configure_logging(snakemake.log[0])
    params, corpus = snakemake.params, Path(snakemake.input.text)
    torch.set_num_threads(snakemake.threads)
    is_task = corpus.is_dir()
    texts = texts_of_task(read_task(corpus, corpus.name)[0]) if is_task else texts_of_articles(read_articles(corpus))
    pipeline = load_pipeline(obtain(**params.origin, is_model=True), device=params.device)
    show = partial(progress, what=f"parsing {corpus.name}, batches")
    parsed = parse_texts(pipeline, list(texts.values()), progress=show)
    write_conllu(joined_texts(texts, parsed), snakemake.output[0])
    logger.info("%s: %d texts, %d sentences", corpus.name, len(texts), sum(map(len, parsed)))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
