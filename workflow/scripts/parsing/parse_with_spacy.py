"""Parse sentences of running text with spaCy, and write both parts of a treebank."""

from functools import partial

from bert_attention.corpora.conllu import fold_relations, write_conllu
from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.summaries import trees_summary
from bert_attention.corpora.texts import draw_split, in_documents, paragraphs_of_articles, with_id
from bert_attention.downloads.sources import obtain
from bert_attention.parsing.spacy_trees import load_spacy, parse_sentences
from bert_attention.running.jobs import progress
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    nlp = load_spacy(obtain(params.origin["source"], None), params.origin["sha256"])
    articles = read_articles(snakemake.input.articles)
    paragraphs = {
        name: [sentence for sentence in sentences if sentence.strip()]
        for name, sentences in paragraphs_of_articles(articles).items()
    }
    # Each sentence is drawn as its index, before it is parsed: a long text has far more sentences than a treebank.
    indices = {name: range(len(sentences)) for name, sentences in paragraphs.items()}
    drawn = {split: draw_split(indices, split, params.sentences[split], params.seed) for split in ("train", "dev")}
    chosen = {name: [] for name in paragraphs}
    for name, index in [*drawn["train"], *drawn["dev"]]:
        chosen[name].append(index)
    show = partial(progress, what="parsing, batches of paragraphs")
    parsed = parse_sentences(nlp, list(paragraphs.values()), chosen=list(chosen.values()), progress=show)
    trees = {
        (name, index): with_id(sentence, name, index + 1)
        for name, sentences in zip(paragraphs, parsed, strict=True)
        for index, sentence in zip(sorted(chosen[name]), sentences, strict=True)
    }
    summaries = []
    for split, found in drawn.items():
        sentences = in_documents([(name, trees[name, index]) for name, index in found], paragraphs)
        if params.relations == "base":
            sentences = list(map(fold_relations, sentences))
        write_conllu(sentences, snakemake.output[split])
        summaries.append(trees_summary(split, sentences, {}))
    report_corpora(summaries, snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
