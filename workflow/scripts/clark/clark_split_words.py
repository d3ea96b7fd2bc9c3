"""Count the words of the corpora that a model's tokenizer splits."""

from bert_attention.corpora.conllu import documents_of, words_of_corpus
from bert_attention.files import folders_of
from bert_attention.papers.clark.split_words import sums, table
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import stacked, tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import write_table
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import wordpieces_of_words


def main(snakemake):
    corpora = dict(snakemake.input.items())
    tokenizer = load_tokenizer(folders_of(corpora.pop("tokenizer"))[0])
    of_corpora = []
    for name, path in corpora.items():
        texts = list(wordpieces_of_words(words_of_corpus(path), tokenizer))
        of_corpus = tabulated(table, Sums.of(map(sums, texts), documents_of(path)))
        of_corpora.append(of_corpus.with_rows(lambda t, name=name: t.assign(corpus=name)))
    write_table(stacked(of_corpora), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
