"""Save the attention of four typical heads in one segment."""

from bert_attention.attention.model_input import read_model_input
from bert_attention.files import folders_of
from bert_attention.papers.clark.examples import pattern_examples
from bert_attention.running.scripts import run_script
from bert_attention.statistics.sums import BLOCKS
from bert_attention.statistics.tables import write_table
from bert_attention.tables import read_table
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    vocabulary = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    tables = (read_table(file) for file in (paths.positions, paths.entropy))
    first_block = read_model_input(paths.corpus, tokenizer, params.store_settings, (1, BLOCKS))
    segments = first_block.streamed(folders_of(paths.weights)[0], tokenizer, params.store_settings, **params.run)
    write_table(pattern_examples(segments, vocabulary, *tables), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
