"""Read both parts of a treebank."""

from bert_attention.corpora.conllu import fold_relations, read_conllu, undo_ptb_escapes, write_conllu
from bert_attention.corpora.held_out import check_trees_held_out
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.summaries import trees_summary
from bert_attention.downloads.sources import obtain
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    summaries, read = [], {}
    for split in ("train", "dev"):
        found, left_out = read_conllu(obtain(**params.origins[split]), params.on_bad_input)
        read[split] = found
        sentences = sample(found, params.sentences[split], params.seed)
        if params.ptb_escapes:
            sentences = list(map(undo_ptb_escapes, sentences))
        if params.relations == "base":
            sentences = list(map(fold_relations, sentences))
        write_conllu(sentences, snakemake.output[split])
        not_drawn = {"sentences not drawn": len(found) - len(sentences)}
        summaries.append(trees_summary(split, sentences, {**left_out, **not_drawn}))
    check_trees_held_out(read["train"], read["dev"], "corpora.treebank")
    report_corpora(summaries, snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
