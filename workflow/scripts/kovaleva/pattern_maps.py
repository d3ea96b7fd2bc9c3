"""Draw attention maps to be labelled, from the attention stores of all models and tasks."""

from bert_attention.attention.store import AttentionStore
from bert_attention.corpora.pattern_annotations import write_maps
from bert_attention.kovaleva.pattern_maps import draw_maps
from bert_attention.running.jobs import configure_logging, logger


def main(snakemake):
    configure_logging(snakemake.log[0])
    stores = {tuple(name.split("/")): AttentionStore.of(*paths) for name, paths in snakemake.input.items()}
    maps = draw_maps(stores, snakemake.params.per_head, snakemake.params.seed)
    write_maps(maps, snakemake.output[0])
    logger.info("%d maps", len(maps))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
