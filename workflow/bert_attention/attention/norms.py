"""Norm-based analysis of attention (Kobayashi et al. 2020, section 2, and 2021) without arrays of n x n x d.

In row vectors, with ``v^h_j`` the value vector of token j in head h (bias included) and ``W_h`` the rows of W^O that
belong to the head::

    f_h(x_j) = v^h_j W_h
    y_i      = sum_h sum_j alpha^h_ij f_h(x_j)       the attention module's output without b^O, which is never part of f

Arguments of the functions:

- ``attention``: ``[batch, head, query, key]``, after the softmax and before any dropout
- ``values``: ``[batch, key, head * d_head]``, the output of the value projection
- ``output_weight``: ``[d, head * d_head]``, W^O in the layout of ``nn.Linear``
- ``outputs``: ``[batch, query, d]``, the y above
- ``factors`` and ``products``: the results of :func:`output_factors` and :func:`output_products` for W^O

:class:`OutputMap` has W^O, its factors and its products.

In attention from a decoder to an encoder, queries are the decoder's tokens, keys and values the encoder's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
from torch import nn

from bert_attention.attention.mixing_methods import MIXING_METHODS
from bert_attention.models.attention_modules import linear_map

# Number of tokens whose Gram matrices are computed at once: their products with W^O take 6 MiB in bert-base.
_TOKENS_PER_PART = 2048


@dataclass(frozen=True)
class OutputMap:
    """W^O and b^O of an attention module, as its output projection applies them."""

    weight: torch.Tensor  # [d, head * d_head]
    bias: torch.Tensor  # [d]
    heads: int

    @classmethod
    def of(cls, output: nn.Module, width: int, heads: int, device: torch.device) -> OutputMap:
        """Apply the output projection of ``heads`` heads, which takes vectors of this width."""
        return cls(*linear_map(output.forward, width, device), heads)

    @cached_property
    def factors(self) -> torch.Tensor:
        """See :func:`output_factors`."""
        return output_factors(self.weight, self.heads)

    @cached_property
    def products(self) -> torch.Tensor:
        """See :func:`output_products`."""
        return output_products(self.weight)

    def sum_error(self, contexts: torch.Tensor, outputs: torch.Tensor) -> torch.Tensor:
        """Return the relative error of W^O and b^O on inputs and outputs of the output projection, ``[...]``.

        The error is the length of the difference to the outputs ``[..., d]``, divided by the length of the outputs
        without b^O. If b^O is more than a hundred times longer, a hundredth of its length replaces this length, because
        the sum with b^O rounds the rest.
        """
        error = torch.linalg.vector_norm(contexts @ self.weight.T + self.bias - outputs, dim=-1)
        lengths = torch.linalg.vector_norm(outputs - self.bias, dim=-1)
        least = torch.linalg.vector_norm(self.bias) / 100
        return error / lengths.clamp(min=least).clamp(min=torch.finfo(outputs.dtype).tiny)


def output_factors(output_weight: torch.Tensor, heads: int) -> torch.Tensor:
    """Return square matrices R_h, ``[head, d_head, d_head]`` float32, with ``||v W_h|| = ||v R_h||`` for every v.

    W_h, ``[d_head, d]``, is a head's rows of W^O. R_h comes from the QR decomposition ``W_h^T = Q R_h^T``, in which Q
    changes no length.
    """
    blocks = output_weight.double().reshape(len(output_weight), heads, -1).transpose(0, 1)
    return torch.linalg.qr(blocks, mode="r").R.transpose(1, 2).float().contiguous()


def value_norms(values: torch.Tensor, factors: torch.Tensor) -> torch.Tensor:
    """Return ``||f_h(x_j)||``, ``[batch, head, token]`` (Kobayashi et al. 2020, section 2).

    No array of the model's width is built per head.
    """
    sequences, tokens, _ = values.shape
    heads, size, _ = factors.shape
    per_head = values.reshape(sequences * tokens, heads, size).transpose(0, 1)
    norms = torch.linalg.vector_norm(per_head @ factors, dim=-1)
    return norms.view(heads, sequences, tokens).transpose(0, 1)


def output_products(output_weight: torch.Tensor) -> torch.Tensor:
    """Return ``W_h W_g^T`` for each pair of heads, as one matrix ``[head * d_head, head * d_head]`` float32."""
    weight = output_weight.double()
    return (weight.T @ weight).float()


def summed_norms(attention: torch.Tensor, values: torch.Tensor, products: torch.Tensor) -> torch.Tensor:
    """Return ``||sum_h alpha^h_ij f_h(x_j)||``, the norm of all heads' contributions from token j to token i.

    The norm is ``sqrt(a^T G_j a)``, ``[batch, query, key]`` in float32, with the heads' weights ``a`` of (i, j) and the
    :func:`gram` matrix G_j. If heads cancel each other, the rounding error is at most 1e-3 of ``sum_h alpha ||f_h||``,
    the length without cancellation. The attention store, in float16, is not more precise.
    """
    grams = gram(values, products, attention.shape[1])
    norms = [_lengths(*sequence) for sequence in zip(attention, grams, strict=True)]
    return torch.stack(norms)


def _lengths(attention: torch.Tensor, grams: torch.Tensor) -> torch.Tensor:
    """Return ``sqrt(a^T G a)``, ``[query, key]``, for a in ``[head, query, key]`` and G in ``[key, head, head]``."""
    weights = attention.permute(2, 0, 1).contiguous()  # [key, head, query]
    squares = (grams @ weights).mul_(weights).sum(1)
    return squares.clamp_(min=0).sqrt_().T  # rounding can make a tiny square negative


def gram(values: torch.Tensor, products: torch.Tensor, heads: int) -> torch.Tensor:
    """Return the inner products ``<f_h(x_j), f_g(x_j)> = v^h_j W_h W_g^T v^g_j`` of each token's transformed vectors.

    The products are ``[batch, key, head, head]`` float32. No transformed vector is built. The matrices are symmetric,
    so only one half is computed.
    """
    sequences, tokens, width = values.shape
    size = width // heads
    grams = values.new_empty(sequences * tokens, heads, heads)
    parts = zip(values.reshape(-1, width).split(_TOKENS_PER_PART), grams.split(_TOKENS_PER_PART), strict=True)
    for part, result in parts:
        for head in range(heads):
            start = head * size
            products_with_others = part[:, start : start + size] @ products[start : start + size, start:]
            with_others = products_with_others.mul_(part[:, start:]).view(-1, heads - head, size).sum(-1)
            result[:, head, head:] = with_others
            result[:, head:, head] = with_others
    return grams.view(sequences, tokens, heads, heads)


def signed_projections(
    attention: torch.Tensor,
    values: torch.Tensor,
    output_weight: torch.Tensor,
    outputs: torch.Tensor,
    queries: torch.Tensor,
) -> torch.Tensor:
    """Return ``sum_i <alpha^h_ij f_h(x_j), y_i> / ||y_i||``, each key's contribution along the outputs' directions.

    Norms also count vectors that cancel each other. Projections do not: their sum over all heads and keys is
    ``sum_i ||y_i||``. With ``u_i = y_i / ||y_i||``, ``<f_h(x_j), u_i>`` is ``<v^h_j, u_i W_h^T>``, which takes d_head
    products instead of d. The result is ``[batch, head, key]``. ``queries``, ``[batch, query]``, is 1 on the queries to
    sum over and 0 on padding.
    """
    sequences, heads = attention.shape[:2]
    lengths = torch.linalg.vector_norm(outputs, dim=-1, keepdim=True)
    smallest = torch.finfo(outputs.dtype).tiny  # an output of zero has no direction
    directions = outputs / lengths.clamp(min=smallest) * queries.unsqueeze(-1).to(outputs.dtype)
    pulled_back = (directions @ output_weight).view(sequences, outputs.shape[1], heads, -1).transpose(1, 2)
    gathered = attention.transpose(-1, -2) @ pulled_back  # [batch, head, key, d_head]
    return (gathered * values.view(sequences, values.shape[1], heads, -1).transpose(1, 2)).sum(-1)


def mixing_ratios(
    attention: torch.Tensor,
    values: torch.Tensor,
    output_weight: torch.Tensor,
    outputs: torch.Tensor,
    inputs: torch.Tensor,
    scale: torch.Tensor,
) -> torch.Tensor:
    """Return the share of other tokens in each token's new vector, by five methods (Kobayashi et al. 2021, section 3).

    The new vector has two addends, one from the other tokens and one from the token itself. The ratio is
    ``||others|| / (||others|| + ||self||)``. b^O and beta come from no token and are left out. The layer norm is made
    linear with the standard deviation of the real sum. Both addends share this deviation, so it cancels. The result is
    ``[batch, method, token]``, with the methods of :data:`bert_attention.attention.mixing_methods.MIXING_METHODS`.
    ``inputs``, ``[batch, token, d]``, is the input of the attention module and its residual connection. ``scale``,
    ``[d]``, is gamma of the layer norm that follows the residual connection.
    """
    own_weights = attention.diagonal(dim1=-2, dim2=-1)  # alpha^h_ii, [batch, head, token]
    sequences, heads, tokens = own_weights.shape
    weighted = own_weights.transpose(1, 2).unsqueeze(-1) * values.view(sequences, tokens, heads, -1)
    own = weighted.flatten(2) @ output_weight.T  # [batch, token, d]
    others, with_residual = outputs - own, own + inputs
    own_weight = own_weights.mean(1)
    ratios = {
        "attn_w": 1 - own_weight,
        "attn_n": _ratio(others, own),
        "attn_res_w": (1 - own_weight) / 2,
        "attn_res_n": _ratio(others, with_residual),
        "attn_res_ln_n": _ratio(linear_layer_norm(others, scale), linear_layer_norm(with_residual, scale)),
    }
    return torch.stack([ratios[method] for method in MIXING_METHODS], dim=1)


def linear_layer_norm(vectors: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
    """Return the linear layer norm of an addend, not divided by the standard deviation that all addends share."""
    return (vectors - vectors.mean(-1, keepdim=True)) * scale


def _ratio(others: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    others_norm, own_norm = (torch.linalg.vector_norm(vectors, dim=-1) for vectors in (others, own))
    return others_norm / (others_norm + own_norm)
