"""Attention maps with known patterns, drawn at random."""

import numpy as np

from bert_attention.corpora.types import PATTERNS, PatternMap


def drawn_attention(pattern: str, tokens: int, separator: int, random: np.random.Generator) -> np.ndarray:
    """Return attention ``[query, key]`` of two sentences: seven tenths of the pattern, and three tenths of noise."""
    special = np.zeros((tokens, tokens))
    special[:, random.choice([0, separator, tokens - 1])] = 1
    diagonal = np.eye(tokens, k=int(random.choice([-1, 1])))
    second = np.arange(tokens) > separator
    block = (second[:, None] == second).astype(float) + random.uniform(0, 0.2, (tokens, tokens))
    block[:, [0, separator, tokens - 1]] = 0.05
    drawn = {
        "vertical": special,
        "diagonal": diagonal,
        "vertical_diagonal": special + diagonal,
        "block": block,
        "heterogeneous": random.dirichlet(np.full(tokens, 0.1), tokens),
    }[pattern] + 1e-9
    noise = random.dirichlet(np.full(tokens, 1.0), tokens)
    return 0.7 * drawn / drawn.sum(-1, keepdims=True) + 0.3 * noise


def drawn_maps(count: int, seed: int) -> tuple[list[PatternMap], list[str]]:
    """Return maps of two layers of eight heads, numbered from 1, and the pattern of each map."""
    random = np.random.default_rng(seed)
    patterns = [PATTERNS[index] for index in random.integers(5, size=count)]
    maps = []
    for number, pattern in enumerate(patterns, start=1):
        tokens = int(random.integers(14, 60))
        separator = int(random.integers(5, tokens - 5))
        attention = drawn_attention(pattern, tokens, separator, random)
        layer, head = map(int, random.integers(1, (3, 9)))
        maps.append(PatternMap(number, "m", "pretrained", "rte", number, layer, head, separator, attention))
    return maps, patterns
