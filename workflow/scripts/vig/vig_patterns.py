"""Measure how much each head shows of six patterns."""

from pathlib import Path

from bert_attention.attention.store import open_store
from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.corpora.jsonlines import read_articles, read_segments
from bert_attention.running.jobs import configure_logging, progress
from bert_attention.tables import write_table
from bert_attention.tokenization.word_forms import forms_of_articles, forms_of_segments
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.vig.patterns import patterns


def main(snakemake):
    configure_logging(snakemake.log[0])
    paths = snakemake.input
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    segments = read_segments(paths.segments)
    co_occurrences = CoOccurrences(forms_of_articles(read_articles(paths.articles), tokenizer))
    store = open_store(paths.sequences, **snakemake.params.stores_made_with["sequences"])
    sequences = progress(store, snakemake.rule)
    articles = [segment.article for segment in segments]
    forms = forms_of_segments(segments, tokenizer)
    table = patterns(sequences, forms, articles, co_occurrences, snakemake.params.seed)
    write_table(table, snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
