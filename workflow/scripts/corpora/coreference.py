"""Read documents with coreference."""

from bert_attention.corpora.conll2012 import read_conll2012
from bert_attention.corpora.corefud import read_corefud, write_corefud
from bert_attention.corpora.sampling import sample
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import configure_logging, log_counts, logger

READERS = {"corefud": read_corefud, "conll2012": read_conll2012}


def main(snakemake):
    configure_logging(snakemake.log[0])
    params = snakemake.params
    found, left_out = READERS[params.format](obtain(**params.origin), params.on_bad_input)
    documents = sample(found, params.documents, params.seed)
    write_corefud(documents, snakemake.output[0])
    log_counts("left out", left_out)
    mentions = sum(len(document.mentions) for document in documents)
    logger.info("coreference: %d of %d documents, %d mentions", len(documents), len(found), mentions)


if __name__ == "__main__":
    main(snakemake)  # noqa: F821 (given by Snakemake)
