"""Take both parts of a treebank from parsed text."""

from bert_attention.corpora.conllu import fold_relations, write_conllu
from bert_attention.corpora.summaries import trees_summary
from bert_attention.corpora.texts import read_texts, silver_split
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    texts = read_texts(snakemake.input[0])
    summaries = []
    for split in ("train", "dev"):
        sentences = silver_split(texts, split, params.sentences[split], params.seed)
        if params.relations == "base":
            sentences = list(map(fold_relations, sentences))
        write_conllu(sentences, snakemake.output[split])
        summaries.append(trees_summary(split, sentences, {}))
    report_corpora(summaries, snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
