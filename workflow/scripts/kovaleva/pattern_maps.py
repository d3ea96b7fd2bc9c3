"""Draw attention maps to be labelled, from the attention stores of all models and tasks."""

from bert_attention.attention.store import open_store
from bert_attention.corpora.pattern_annotations import write_maps
from bert_attention.kovaleva.pattern_maps import draw_maps
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    opened = {name: open_store(paths[name], **made_with) for name, made_with in params.stores_made_with.items()}
    maps = draw_maps({tuple(name.split("/")): store for name, store in opened.items()}, params.per_head, params.seed)
    write_maps(maps, snakemake.output[0])
    logger.info("%d maps", len(maps))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
