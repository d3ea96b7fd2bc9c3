"""Compute the expansion rate of value and output projections from an encoder's weights."""

import torch

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.files import folders_of
from bert_attention.models.attention_modules import linear_map
from bert_attention.models.encoders import load_encoder
from bert_attention.papers.kobayashi.expansion import expansion
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table


def main(snakemake):
    encoder = HookedEncoder.of(load_encoder(folders_of(snakemake.input.weights)[0], "cpu"))
    width = encoder.model.config.hidden_size
    modules = [weights_of(module, width) for module in encoder.projections_by_layer]
    write_table(expansion(modules), snakemake.output[0])


@torch.inference_mode()
def weights_of(module, width):
    values = linear_map(module.value, width)
    tensors = *values, *linear_map(module.output.forward, len(values[1]))
    return tuple(tensor.numpy() for tensor in tensors)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
