"""Train the classifier of patterns on labeled maps, and score it."""

from safetensors.torch import save

from bert_attention.corpora.pattern_annotations import read_maps, read_passes
from bert_attention.files import replacing
from bert_attention.papers.kovaleva.pattern_labels import LabeledMaps, label_tables, trained_classifier
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_tables


def main(snakemake):
    paths, output = snakemake.input, snakemake.output
    maps = read_maps(paths.maps)
    labeled = LabeledMaps.of(maps, read_passes(paths.labels, maps))
    logger.info("%d maps with labels of %d passes", len(labeled.maps), len(labeled.labels.columns))
    write_tables(label_tables(labeled, snakemake.params.seed), output.tables)
    classifier = trained_classifier(labeled, snakemake.params.seed)
    weights = {name: each.contiguous() for name, each in classifier.state_dict().items()}
    with replacing(output.weights) as partial:
        partial.write_bytes(save(weights))  # save_model() makes a file that others cannot read


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
