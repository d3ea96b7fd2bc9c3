"""Read sentences with frames, or select them from FrameNet."""

from functools import partial

from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import configure_logging, library_function, log_counts, logger, progress


def main(snakemake):
    configure_logging(snakemake.log[0])
    params = snakemake.params
    read = library_function(params.function)
    found, left_out = read(obtain(**params.origin), **params.settings, progress=partial(progress, what="frames"))
    sentences = sample(found, params.sentences, params.seed)
    write_records(sentences, snakemake.output[0])
    log_counts("left out", left_out)
    logger.info("frames: %d of %d sentences", len(sentences), len(found))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
