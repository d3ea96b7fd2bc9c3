"""Read translations with gold word alignments."""

from bert_attention.corpora.alignments import read_alignments, write_alignments
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import log_counts, logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = [obtain(**params.origins[part]) for part in ("source_text", "target_text", "links")]
    found, left_out = read_alignments(*files, params.notation, params.base, params.on_bad_input, params.encoding)
    pairs = sample(found, params.pairs, params.seed)
    write_alignments(pairs, output.source_text, output.target_text, output.links)
    log_counts("left out", left_out)
    logger.info("alignment: %d of %d pairs", len(pairs), len(found))


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
