"""Cut documents with coreference to the length of a model's input."""

from itertools import chain

from bert_attention.corpora.corefud import read_corefud, write_corefud
from bert_attention.corpora.input_limits import documents_within
from bert_attention.corpora.summaries import UNKNOWN_TOKENS, documents_summary
from bert_attention.files import folders_of
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script
from bert_attention.tokenization.unknown_tokens import check_is_known
from bert_attention.tokenization.wordpieces import load_tokenizer
from bert_attention.tokenization.words import wordpieces_of_words


def max_length(folder):
    from bert_attention.models.encoders import load_encoder  # noqa: PLC0415 (slow to import, and rarely needed)

    return load_encoder(folder, "cpu").max_length


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    layout = tokenizer.layout
    longest = params.max_wordpieces or max_length(folders_of(paths.weights)[0])
    documents, _ = read_corefud(paths.corpus)
    wordpieces = wordpieces_of_words((document.forms for document in documents), tokenizer)
    budget = longest - len(layout.opening) - len(layout.closing)
    kept, left_out = documents_within(documents, wordpieces, budget, params.on_bad_input, paths.corpus)
    write_corefud(kept, snakemake.output[0])
    shares = {UNKNOWN_TOKENS: check_is_known(chain.from_iterable(wordpieces), tokenizer, paths.corpus)}
    report_corpora([documents_summary(kept, left_out, shares, snakemake.wildcards.model)], snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
