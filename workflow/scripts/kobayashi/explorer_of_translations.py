"""Make the page that shows the cross-attention of a translation model."""

from bert_attention.corpora.alignments import read_alignments
from bert_attention.downloads.sources import obtain
from bert_attention.explorer.page import page
from bert_attention.explorer.translations import packed_alignments, packed_translations
from bert_attention.files import replacing
from bert_attention.models.translation import load_translation_model
from bert_attention.paper.sources import described_corpus
from bert_attention.running.jobs import logger
from bert_attention.running.scripts import run_script
from bert_attention.tables import read_table


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    pairs, _ = read_alignments(paths.source_text, paths.target_text, paths.links, base=0)
    name, seed, languages = (params.model[key] for key in ("model", "seed", "languages"))
    translation = load_translation_model(obtain(**params.origin), "cpu", languages=languages)
    texts = packed_translations(translation, pairs)
    corpus = described_corpus(params.edition, "alignment")
    found = packed_alignments(read_table(paths.alignment), name, seed, corpus)
    layers, heads = translation.model.config.decoder_layers, translation.model.config.decoder_attention_heads
    text = page(snakemake.wildcards.translation_model, layers, heads, texts, found, params.about, params.lacks)
    logger.info("%d texts, %.1f MB", len(texts), len(text) / 1e6)
    with replacing(snakemake.output[0]) as partial:
        partial.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
