"""Read translations with gold word alignments."""

from bert_attention.corpora.alignments import read_alignments, write_alignments
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.summaries import pairs_summary
from bert_attention.downloads.sources import obtain
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    files = [obtain(**params.origins[part]) for part in ("source_text", "target_text", "links")]
    found, left_out = read_alignments(*files, params.notation, params.base, params.on_bad_input, params.encoding)
    pairs = sample(found, params.pairs, params.seed)
    write_alignments(pairs, output.source_text, output.target_text, output.links)
    not_drawn = {"pairs not drawn": len(found) - len(pairs)}
    report_corpora([pairs_summary(pairs, {**left_out, **not_drawn})], output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
