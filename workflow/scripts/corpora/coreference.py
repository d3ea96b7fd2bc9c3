"""Read documents with coreference."""

from bert_attention.corpora.corefud import write_corefud
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import library_function, log_counts, logger
from bert_attention.running.scripts import run_script


def main(snakemake):
    params = snakemake.params
    found, left_out = library_function(params.function)(obtain(**params.origin), params.on_bad_input)
    documents = sample(found, params.documents, params.seed)
    write_corefud(documents, snakemake.output[0])
    log_counts("left out", left_out)
    mentions = sum(len(document.mentions) for document in documents)
    logger.info("coreference: %d of %d documents, %d mentions", len(documents), len(found), mentions)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
