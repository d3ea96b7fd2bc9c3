"""Draw an encoder's weights at random, all but the embeddings."""

from pathlib import Path

from bert_attention.models.encoders import load_encoder, save_model
from bert_attention.models.random_weights import randomise
from bert_attention.running.scripts import run_script


def main(snakemake):
    origin, folder = Path(snakemake.input[0]).parent, Path(snakemake.output[0]).parent
    encoder = load_encoder(origin, "cpu")
    randomise(encoder.model, snakemake.params.seed)
    save_model(encoder.model, folder, tokenizer_of=origin)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
