"""Take the attention of four typical heads in one segment."""

from pathlib import Path

from bert_attention.attention.store import AttentionStore
from bert_attention.clark.examples import pattern_examples
from bert_attention.running.jobs import configure_logging
from bert_attention.tables import read_table, write_table
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    configure_logging(snakemake.log[0])
    paths = snakemake.input
    tokenizer = load_tokenizer(Path(paths.tokenizer).parent)
    vocabulary = tokenizer.convert_ids_to_tokens(range(len(tokenizer)))
    tables = (read_table(file) for file in (paths.positions, paths.entropy))
    write_table(pattern_examples(AttentionStore.of(*paths.sequences), vocabulary, *tables), snakemake.output[0])


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
