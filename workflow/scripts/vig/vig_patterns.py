"""Score each head on six attention patterns."""

from bert_attention.attention.store import AttentionStore
from bert_attention.corpora.co_occurrence import CoOccurrences
from bert_attention.corpora.jsonlines import articles_of, read_articles, read_segments
from bert_attention.files import folders_of
from bert_attention.papers.vig.patterns import sums, table
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import joined, tabulated
from bert_attention.statistics.sums import Sums, blocks_of, spread_sample, sum_up
from bert_attention.statistics.tables import write_tables
from bert_attention.tokenization.word_forms import forms_of_articles, forms_of_segments
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    paths = snakemake.input
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    chosen, blocks = spread_sample(blocks_of(articles_of(paths.segments)), snakemake.params.segments)
    segments = read_segments(paths.segments, chosen)
    co_occurrences = CoOccurrences(forms_of_articles(read_articles(paths.articles), tokenizer))
    made = {}
    for each in snakemake.params.inputs:
        store = AttentionStore(paths[each.key])
        longest = max(len(sequence.word_ids) for sequence in store)
        units = zip(progress(store, snakemake.rule), forms_of_segments(segments, tokenizer), segments, strict=True)
        added = (sums(sequence, forms, s.article, co_occurrences, longest) for sequence, forms, s in units)
        made[each.group] = tabulated(table, Sums(sum_up(added, blocks)))
    write_tables(joined(made), snakemake.output)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
