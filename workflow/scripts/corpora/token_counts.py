"""Rank a model's tokens by given counts."""

from pathlib import Path

from bert_attention.corpora.token_frequency import read_token_counts, save_ranks, token_ranks
from bert_attention.downloads.sources import obtain
from bert_attention.models.wordpieces import load_tokenizer
from bert_attention.running.jobs import configure_logging, logger


def main(snakemake):
    configure_logging(snakemake.log[0])
    counts = read_token_counts(obtain(**snakemake.params.origin))
    tokenizer = load_tokenizer(Path(snakemake.input.tokenizer).parent)
    save_ranks(token_ranks(counts, len(tokenizer)), snakemake.output[0])
    logger.info("token counts: %d tokens, %d different", sum(counts.values()), len(counts))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
