"""Read sentences with frames, select sentences as in Kovaleva et al. 2019, and count sentences after each filter."""

from functools import partial

import pandas as pd

from bert_attention.corpora.frame_selection import select_framed
from bert_attention.corpora.jsonlines import write_records
from bert_attention.corpora.sampling import sample
from bert_attention.corpora.summaries import frames_summary
from bert_attention.downloads.sources import obtain
from bert_attention.running.jobs import library_function, progress
from bert_attention.running.reports import report_corpora
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    read = library_function(params.function)
    found, unread = read(obtain(**params.origin), **params.settings, progress=partial(progress, what="frames"))
    chosen, left_out = select_framed(found, params.selection, params.origin["source"])
    sentences = sample(chosen, params.sentences, params.seed)
    write_records(sentences, output.sentences)
    counts = {"chosen": len(chosen), **unread, **left_out}
    write_table(pd.DataFrame(list(counts.items()), columns=["outcome", "sentences"]), output.counts)
    not_drawn = {"sentences not drawn": len(chosen) - len(sentences)}
    report_corpora([frames_summary(sentences, {**unread, **left_out, **not_drawn})], output.summary)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
