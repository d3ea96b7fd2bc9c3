"""Draw an encoder's weights at random from several seeds; the embeddings stay."""

from pathlib import Path

import torch

from bert_attention.files import folders_of
from bert_attention.models.encoders import load_encoder, save_model
from bert_attention.models.random_weights import randomize
from bert_attention.running.scripts import run_script


def main(snakemake):
    origin = Path(snakemake.input[0]).parent
    for folder, seed in zip(folders_of(snakemake.output), snakemake.params.seeds, strict=True):
        torch.manual_seed(seed)  # loading draws the pooler at random if the weights lack one
        encoder = load_encoder(origin, "cpu")
        randomize(encoder.model, seed)
        save_model(encoder.model, folder, tokenizer_of=origin)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
