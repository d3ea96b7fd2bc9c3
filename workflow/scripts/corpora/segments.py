"""Cut Wikipedia articles into two-part segments for a model."""

from functools import partial

from bert_attention.corpora.jsonlines import read_articles, write_records
from bert_attention.corpora.segments import build_segments, sample_segments
from bert_attention.files import folders_of
from bert_attention.running.jobs import log_counts, logger
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.wordpieces import load_tokenizer, mark_word_starts


def main(snakemake):
    params = snakemake.params
    tokenizer = load_tokenizer(folders_of(snakemake.input.tokenizer)[0])
    budget = params.max_wordpieces - len(tokenizer.layout)
    articles = read_articles(snakemake.input.articles)
    found, left_out = build_segments(articles, partial(mark_word_starts, tokenizer), params.spans, budget, params.seed)
    segments = sample_segments(found, params.segments, params.mlm_head)
    write_records(segments, snakemake.output[0])
    log_counts("left out", left_out)
    logger.info("segments: %d of %d, of at most %d wordpieces", len(segments), len(found), params.max_wordpieces)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
