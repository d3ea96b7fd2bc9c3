"""Count the words of the corpora that a model's tokenizer splits."""

from pathlib import Path

from bert_attention.clark.split_words import split_words
from bert_attention.corpora.conllu import words_of_corpus
from bert_attention.running.jobs import configure_logging
from bert_attention.tables import write_table
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import wordpieces_of_words


def main(snakemake):
    configure_logging(snakemake.log[0])
    corpora = dict(snakemake.input.items())
    tokenizer = load_tokenizer(Path(corpora.pop("tokenizer")).parent)
    wordpieces = {name: list(wordpieces_of_words(words_of_corpus(path), tokenizer)) for name, path in corpora.items()}
    write_table(split_words(wordpieces, snakemake.params.seed), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
