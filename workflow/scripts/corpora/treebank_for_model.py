"""Keep the sentences of a treebank that fit into a model's input."""

from bert_attention.corpora.conllu import read_conllu, write_conllu
from bert_attention.corpora.input_limits import sentences_within
from bert_attention.files import folders_of
from bert_attention.running.jobs import log_counts, logger
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import wordpieces_of_words


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    layout = tokenizer.layout
    budget = params.max_wordpieces - len(layout.opening) - len(layout.closing)
    for split, output in snakemake.output.items():
        corpus = paths.get(split)
        sentences, _ = read_conllu(corpus)
        wordpieces = wordpieces_of_words((sentence.forms for sentence in sentences), tokenizer)
        kept, left_out = sentences_within(sentences, wordpieces, budget, params.on_bad_input, corpus)
        write_conllu(kept, output)
        log_counts(f"left out of {split}", left_out)
        logger.info("treebank: %d of %d sentences of %s fit", len(kept), len(sentences), split)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
