"""Save the attention of four typical heads in one segment."""

from itertools import islice

from bert_attention.attention.store import AttentionStore
from bert_attention.files import folders_of
from bert_attention.papers.clark.examples import pattern_examples
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table
from bert_attention.tables import read_table
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    paths = snakemake.input
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    vocabulary = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    tables = (read_table(file) for file in (paths.positions, paths.entropy))
    shard = AttentionStore(paths.sequences, shard=(1, snakemake.params.shards))
    first_block = islice(shard, len(shard.metadata.blocks[0]))  # the same segments for any number of shards
    write_table(pattern_examples(first_block, vocabulary, *tables), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
