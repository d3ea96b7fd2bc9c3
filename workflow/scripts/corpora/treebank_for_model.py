"""Keep the sentences of a treebank that fit into a model's input."""

from itertools import chain

from bert_attention.corpora.conllu import read_conllu, write_conllu
from bert_attention.corpora.input_limits import sentences_within
from bert_attention.corpora.summaries import UNKNOWN_TOKENS, trees_summary
from bert_attention.files import folders_of
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.unknown_tokens import check_is_known
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import wordpieces_of_words


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    layout = tokenizer.layout
    budget = params.max_wordpieces - len(layout.opening) - len(layout.closing)
    summaries = []
    for split in ("train", "dev"):
        corpus = paths[split]
        sentences, _ = read_conllu(corpus)
        wordpieces = wordpieces_of_words((sentence.forms for sentence in sentences), tokenizer)
        kept, left_out = sentences_within(sentences, wordpieces, budget, params.on_bad_input, corpus)
        write_conllu(kept, snakemake.output[split])
        shares = {UNKNOWN_TOKENS: check_is_known(chain.from_iterable(wordpieces), tokenizer, corpus)}
        summaries.append(trees_summary(split, kept, left_out, shares, snakemake.wildcards.model))
    report_corpora(summaries, snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
