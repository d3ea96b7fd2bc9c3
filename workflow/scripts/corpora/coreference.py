"""Read documents with coreference."""

from bert_attention.corpora.corefud import write_corefud
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.summaries import documents_summary
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import library_function
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    found, left_out = library_function(params.function)(obtain(**params.origin), params.on_bad_input)
    documents = sample(found, params.documents, params.seed)
    write_corefud(documents, snakemake.output[0])
    not_drawn = {"documents not drawn": len(found) - len(documents)}
    report_corpora([documents_summary(documents, {**left_out, **not_drawn})], snakemake.output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
