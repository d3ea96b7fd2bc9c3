"""Compute the expansion rate of value and output projections from an encoder's weights."""

from bert_attention.attention.hooks import HookedEncoder
from bert_attention.files import folders_of
from bert_attention.models.encoders import load_encoder
from bert_attention.papers.kobayashi.expansion import expansion
from bert_attention.running.scripts import run_script
from bert_attention.statistics.tables import write_table


def main(snakemake):
    encoder = HookedEncoder.of(load_encoder(folders_of(snakemake.input.weights)[0], "cpu"))
    modules = [weights_of(module) for module in encoder.projections_by_layer]
    write_table(expansion(modules), snakemake.output[0])


def weights_of(module):
    tensors = (module.value.weight, module.value.bias, module.output.weight, module.output_bias)
    return tuple(tensor.detach().numpy() for tensor in tensors)


if __name__ == "__main__":
    run_script(main, snakemake)  # noqa: F821 (given by Snakemake)
