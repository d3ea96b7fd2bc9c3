"""Make the explorer: a page that shows the heads of a model."""

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.explorer.notes import CORPORA, evidence, findings
from bert_attention.explorer.page import packed_findings, page
from bert_attention.explorer.shortest_segments import packed_shortest
from bert_attention.files import folders_of, replacing, sha256
from bert_attention.models.encoders import load_encoder
from bert_attention.paper.sources import described_corpus
from bert_attention.papers import readings
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_table
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    folder = folders_of(snakemake.input.weights)[0]
    encoder = HookedEncoder.of(load_encoder(folder, "cpu"))
    sequences = packed_shortest(snakemake.input.segments, load_tokenizer(folder), encoder)
    tables = {name: read_table(snakemake.input[name]) for name in snakemake.params.tables}
    corpora = {name: described_corpus(snakemake.params.edition, name) for name in CORPORA}
    known = findings(readings(snakemake.params.papers), tables, corpora)
    sentences = [evidence(read_table(file)) for file in snakemake.input.evidence]
    found = packed_findings(known, sha256(snakemake.input.weights[0]), *sentences)
    text = page(
        snakemake.wildcards.model,
        encoder.layers,
        encoder.heads,
        sequences,
        found,
        snakemake.params.about,
        encoder.family.left_out.get("neurons", ""),
    )
    logger.info("%d texts, %.1f MB", len(sequences), len(text) / 1e6)
    with replacing(snakemake.output[0]) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
