"""Read both parts of a treebank."""

from bert_attention.corpora.conllu import fold_relations, read_conllu, undo_ptb_escapes, write_conllu
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import log_counts, logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    for split, output in snakemake.output.items():
        found, left_out = read_conllu(obtain(**params.origins[split]), params.on_bad_input)
        sentences = sample(found, params.sentences[split], params.seed)
        if params.ptb_escapes:
            sentences = list(map(undo_ptb_escapes, sentences))
        if params.relations == "base":
            sentences = list(map(fold_relations, sentences))
        write_conllu(sentences, output)
        log_counts(f"left out of {split}", left_out)
        logger.info("treebank: %d of %d sentences in %s", len(sentences), len(found), split)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
