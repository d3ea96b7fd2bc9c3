"""Train probes on attention between words, and score them."""

from functools import partial

from bert_attention.attention.store import AttentionStore
from bert_attention.corpora.conllu import read_conllu
from bert_attention.corpora.vectors import load_vectors
from bert_attention.papers.clark.probes import table, train_probes
from bert_attention.running.jobs import progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.tables import write_table


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    train, dev = (read_conllu(file)[0] for file in (paths.train, paths.dev))
    names = [f"{which}{split}_sequences" for which in ("", "random_") for split in ("train", "dev")]
    stores = {name: AttentionStore(paths[name]) for name in names}
    sums = train_probes(
        train,
        dev,
        **stores,
        vectors=load_vectors(paths.vectors),
        seed=params.seed,
        device=params.device,
        progress=partial(progress, what="probes, sentences"),
    )
    write_table(tabulated(table, sums), snakemake.output[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
