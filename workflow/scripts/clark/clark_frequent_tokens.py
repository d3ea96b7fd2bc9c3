"""Count the most frequent tokens of the running text."""

from functools import partial

from bert_attention.corpora.jsonlines import read_segments
from bert_attention.files import folders_of
from bert_attention.papers.clark.frequent_tokens import most_frequent, sums, table
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import write_table
from bert_attention.tokenization.word_forms import tokens_of_segments
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    tokenizer = load_tokenizer(folders_of(snakemake.input.tokenizer)[0])
    segments = read_segments(snakemake.input.segments)
    texts = tokens_of_segments(segments, tokenizer)
    tokens = most_frequent(texts)
    added = (sums(text, tokens) for text in texts)
    counted = Sums.of(added, [segment.article for segment in segments])
    write_table(tabulated(partial(table, tokens=tokens), counted), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
