"""Rank a model's tokens by how often they occur in running text."""

from pathlib import Path

from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.token_frequency import count_tokens, save_ranks, token_ranks
from bert_attention.models.wordpieces import load_tokenizer
from bert_attention.running.jobs import configure_logging, logger


def main(snakemake):
    configure_logging(snakemake.log[0])
    tokenizer = load_tokenizer(Path(snakemake.input.tokenizer).parent)
    paragraphs = [
        " ".join(sentences) for article in read_articles(snakemake.input.articles) for sentences in article.paragraphs
    ]
    counts = count_tokens(paragraphs, lambda texts: tokenizer(texts)["input_ids"])
    save_ranks(token_ranks(counts, len(tokenizer)), snakemake.output[0])
    logger.info("token counts: %d tokens, %d different", counts.total(), len(counts))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
