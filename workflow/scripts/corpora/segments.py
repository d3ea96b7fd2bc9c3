"""Cut Wikipedia articles into two-part segments for a model."""

from bert_attention.corpora.jsonlines import read_articles, write_records
from bert_attention.corpora.segments import build_segments, sample_segments
from bert_attention.corpora.summaries import UNKNOWN_TOKENS, segments_summary
from bert_attention.files import folders_of
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.unknown_tokens import check_is_known, wordpieces_of
from bert_attention.tokenization.wordpieces import load_tokenizer, segment_reader


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    tokenizer, *others = map(load_tokenizer, folders_of([*paths.tokenizer, *paths.other_tokenizers]))
    tokenize, budget = segment_reader(tokenizer, params.max_wordpieces)
    readers = [segment_reader(other, params.max_wordpieces) for other in others]
    articles = read_articles(paths.articles)
    found, left_out = build_segments(articles, tokenize, params.spans, budget, params.seed, readers)
    segments = sample_segments(found, params.segments, params.mlm_head)
    write_records(segments, snakemake.output[0])
    left_out["segments not drawn"] = len(found) - len(segments)
    shares = {UNKNOWN_TOKENS: check_is_known(wordpieces_of(segments), tokenizer, paths.articles)}
    summary = segments_summary(segments, left_out, shares, snakemake.wildcards.model)
    report_corpora([summary], snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
