"""Rank a model's tokens by frequency, from a file of counts for its vocabulary or from the edition's text."""

from warnings import warn

import pandas as pd

from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.token_frequency import count_tokens, read_token_counts, save_ranks, token_ranks
from bert_attention.downloads.sources import obtain
from bert_attention.files import folders_of
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table
from bert_attention.tokenization.wordpieces import load_tokenizer, replace_unknown_words, vocabulary_sha256


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    tokenizer = load_tokenizer(folders_of(snakemake.input.tokenizer)[0])
    source = params.origin["source"] if params.origin else "counted:wikipedia"
    if params.origin and vocabulary_sha256(tokenizer) != params.vocabulary:
        warn(f"{source} counts tokens of another vocabulary; counting the tokens of the edition's text", stacklevel=1)
        source = "counted:wikipedia"
    if source == "counted:wikipedia":
        articles = read_articles(snakemake.input.articles)
        paragraphs = [" ".join(sentences) for article in articles for sentences in article.paragraphs]
        counts = count_tokens(
            replace_unknown_words(tokenizer, paragraphs),
            lambda texts: [encoding.ids for encoding in tokenizer.backend.encode_batch(texts)],
        )
    else:
        counts = read_token_counts(obtain(**params.origin), len(tokenizer))
    save_ranks(token_ranks(counts, len(tokenizer)), output.ranks)
    row = {"source": source, "tokens": sum(counts.values()), "different_tokens": len(counts)}
    write_table(pd.DataFrame([row]), output.counts)
    logger.info("token counts of %(source)s: %(tokens)d tokens, %(different_tokens)d different", row)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
