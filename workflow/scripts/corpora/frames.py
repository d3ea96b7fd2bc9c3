"""Read sentences with frames, or select them from FrameNet."""

from functools import partial

from bert_attention.corpora.framenet import read_framed, select_framed, write_framed
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import configure_logging, log_counts, logger, progress


def main(snakemake):
    configure_logging(snakemake.log[0])
    params = snakemake.params
    origin = obtain(**params.origin)
    if params.format == "framenet":
        found, left_out = select_framed(origin, params.selection, partial(progress, what="lexical units"))
    else:
        found, left_out = read_framed(origin, params.on_bad_input)
    sentences = sample(found, params.sentences, params.seed)
    write_framed(sentences, snakemake.output[0])
    log_counts("left out", left_out)
    logger.info("frames: %d of %d sentences", len(sentences), len(found))


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
