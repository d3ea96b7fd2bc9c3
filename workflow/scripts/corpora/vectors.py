"""Read word vectors, and check that they know the words of the treebank."""

from bert_attention.corpora.conllu import read_trees
from bert_attention.corpora.summaries import vectors_summary
from bert_attention.corpora.vectors import check_known_words, load_vectors, save_glove
from bert_attention.downloads.sources import obtain
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    source = obtain(**snakemake.params.origin)
    vectors = load_vectors(source)
    trees = [tree for path in snakemake.input.treebank for tree in read_trees(path)]
    known = check_known_words(vectors, trees, source)
    save_glove(vectors, snakemake.output[0])
    summary = vectors_summary(vectors.index_to_key, vectors.vector_size, known)
    report_corpora([summary], snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
