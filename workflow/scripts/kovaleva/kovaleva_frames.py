"""Run encoders over sentences with frames, and score how much attention follows the frames' links; save an example."""

import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.corpora.frames import read_framed
from bert_attention.files import folders_of
from bert_attention.models.batches import run_in_blocks
from bert_attention.models.random_weights import load_control
from bert_attention.papers.kovaleva.frame_links import attention_maps, drop_too_long, framed_inputs
from bert_attention.papers.kovaleva.frames import PAPERS_EXAMPLE, frame_example, sums, table
from bert_attention.running.jobs import log_counts, logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import Replicates, joined, tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.statistics.tables import write_tables
from bert_attention.tokenization.wordpieces import load_tokenizer


def main(snakemake):
    params, paths = snakemake.params, snakemake.input
    torch.set_num_threads(snakemake.threads)
    tokenizer = load_tokenizer(folders_of(paths.tokenizer)[0])
    sentences, _ = read_framed(paths.sentences)
    made = {}
    for group, weights_seed in params.seeds.items():
        encoder = HookedEncoder.of(load_control(folders_of(paths.weights)[0], params.device, weights_seed))
        made[group] = _tables(encoder, tokenizer, sentences, paths.sentences, params.batch_size)
    write_tables(joined(made), snakemake.output)


def _tables(encoder, tokenizer, sentences, source, batch_size):
    """Return the tables of one encoder, by name."""
    sequences, links = framed_inputs(sentences, tokenizer, source)
    sequences, links, left_out = drop_too_long(sequences, links, encoder.max_length, source)
    log_counts("left out", +left_out)

    def sums_of_batch(indices):
        maps = attention_maps(encoder, [sequences[index] for index in indices], tokenizer.pad_token_id)
        return (sums(attention, links[index]) for index, attention in zip(indices, maps, strict=True))

    units = run_in_blocks([len(sequence) for sequence in sequences], batch_size, sums_of_batch)
    with_progress = progress(units, "attention of sentences with frames", len(sequences))
    tables = tabulated(table, Sums.of(with_progress, [linked.cluster for linked in links]))
    scored = tables["kovaleva_frames"].whole.groupby("variant")["n"].max()
    logger.info("sentences with linked tokens, of %d: %s", len(sentences), scored.to_dict())
    (sequence,), (linked,) = framed_inputs([PAPERS_EXAMPLE], tokenizer, "the paper's example")
    (attention,) = attention_maps(encoder, [sequence], tokenizer.pad_token_id)
    tokens = tokenizer.convert_ids_to_tokens(sequence.token_ids)
    example = frame_example(attention, tokens, linked, tables["kovaleva_frames"].whole)
    return tables | {"kovaleva_frame_example": Replicates(example)}


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
