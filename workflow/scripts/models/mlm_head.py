"""Fit a masked-language-model head to an encoder that has none that works, on segments that no analysis uses."""

from functools import partial

import torch

from bert_attention.corpora.jsonlines import read_articles
from bert_attention.corpora.segments import build_segments, remaining_segments
from bert_attention.files import folders_of
from bert_attention.models.encoders import check_fits, load_encoder
from bert_attention.models.masked_language_model import find_masked_language_model, fit_mlm_head, save_head, table
from bert_attention.running.jobs import logger, progress
from bert_attention.running.scripts import run_script
from bert_attention.statistics.jackknife import tabulated
from bert_attention.statistics.tables import write_table
from bert_attention.tokenization.wordpieces import encode_segments, load_tokenizer, segment_reader


def main(snakemake):
    params, paths, output = snakemake.params, snakemake.input, snakemake.output
    torch.set_num_threads(snakemake.threads)
    tokenizer, *others = map(load_tokenizer, folders_of([*paths.tokenizer, *paths.other_tokenizers]))
    tokenize, budget = segment_reader(tokenizer, params.max_wordpieces)
    readers = [segment_reader(other, params.max_wordpieces) for other in others]
    articles = read_articles(paths.articles)
    found, _ = build_segments(articles, tokenize, params.spans, budget, params.seed, readers)
    left = remaining_segments(found, params.analyzed, params.segments)
    logger.info("training on %d of %d segments that no analysis uses", len(left), len(found) - params.analyzed)
    sequences = encode_segments(left, tokenizer, params.segment_ids, paths.articles)
    (folder,) = folders_of(paths.weights)
    encoder = load_encoder(folder, params.device)
    check_fits(encoder, sequences, params.segment_ids)
    own = find_masked_language_model(folder, params.device) if params.head == "auto" else None
    show = partial(progress, what="masked language model, batches")
    model, sums = fit_mlm_head(
        encoder,
        sequences,
        [segment.article for segment in left],
        tokenizer,
        epochs=params.epochs,
        batch_size=64,
        seed=params.seed,
        own=own,
        progress=show,
    )
    kind = "own" if model is own else "fitted"
    logger.info("the head is %s", kind)
    save_head(model, output.head, is_own=model is own)
    write_table(tabulated(partial(table, head=kind), sums), output.scores[0])


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
