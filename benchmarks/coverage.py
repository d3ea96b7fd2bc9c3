"""Coverage of the intervals: how often the interval of one half of a corpus contains the other half's value.

    python -m benchmarks.coverage      # takes minutes; needs the real data (make real-data)

The articles of WikiText-2 are split at random into two halves, and equally many segments are drawn from each. Each half
is analyzed like the corpus of a run. The other half's value has the same sampling error, so a correct 95% interval
of 20 blocks contains it in 84.5% of cases.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
from scipy.stats import t

from benchmarks import report
from benchmarks.workloads import BATCH, EMBEDDED, Source, scratch
from bert_attention.attention.extraction import extract, shard_metadata
from bert_attention.attention.store import WORDPIECE_ARRAYS, ShardInMemory
from bert_attention.corpora.running_text import read_running_text
from bert_attention.corpora.segments import build_segments
from bert_attention.corpora.types import Segment
from bert_attention.papers.clark import entropy, head_distances, positions
from bert_attention.papers.kobayashi import categories, dispersion
from bert_attention.running.jobs import progress
from bert_attention.statistics.jackknife import interval, tabulated
from bert_attention.statistics.sums import Sums
from bert_attention.tokenization.wordpieces import encode_segments, mark_word_starts
from tests.real_data import folder_of_real_data, how_to_get

ANALYSES = {
    "positions": positions,
    "entropy": entropy,
    "categories": categories,
    "dispersion": dispersion,
    "divergence": head_distances,
}
# The statistic of each analysis, and the column by which results are grouped.
STATISTICS = {
    "positions": ("attention", "target"),
    "entropy": ("entropy", "source"),
    "categories": ("value", "measure"),
    "dispersion": ("cv", "vector"),
    "divergence": ("divergence", "layer_a"),
}
SPLITS = 8
SEGMENTS = 400  # in each half
MOST_WORDPIECES = 128
CHUNK = 100  # segments whose attention is in memory at a time
NOMINAL = 2 * t.cdf(t.ppf(0.975, 19) / 2**0.5, 19) - 1
Unit = Mapping[str, Mapping[str, np.ndarray]]  # the sums of a segment by name, for each analysis


def segments_of_wikitext(tokenizer, seed: int) -> list[Segment]:
    """Return all segments of the articles of WikiText-2's valid and test parts."""
    folder = folder_of_real_data() / "wikitext2"
    if not folder.is_dir():
        raise SystemExit(how_to_get("wikitext2"))
    articles = [article for part in ("valid.txt", "test.txt") for article in read_running_text(folder / part)[0]]
    budget = MOST_WORDPIECES - len(tokenizer.layout)
    return build_segments(articles, partial(mark_word_starts, tokenizer), "sentences", budget, seed)[0]


def sums_of_segments(encoder, tokenizer, segments: Sequence[Segment]) -> Iterator[Unit]:
    """Run the encoder over the segments, and yield each segment's sums for the analyses."""
    for start in progress(range(0, len(segments), CHUNK), "segments, in hundreds"):
        sequences = encode_segments(segments[start : start + CHUNK], tokenizer, "pair", Path("WikiText-2"))
        made = {"segment_ids": "pair", "masked_share": 0, "seed": None, "word_rule": None, "arrays": WORDPIECE_ARRAYS}
        described = {"model": "", "blocks": [range(len(sequences))], **made}
        store = ShardInMemory(shard_metadata(encoder, tokenizer, None, range(len(sequences)), **described))
        extract(encoder, sequences, store, BATCH, tokenizer.pad_token_id)
        yield from ({name: analysis.sums(sequence) for name, analysis in ANALYSES.items()} for sequence in store)


def _table_of(name: str) -> Callable[[Sums], pd.DataFrame]:
    """Return the function that makes the table of an analysis that has the statistic."""

    def table(sums: Sums) -> pd.DataFrame:
        made = ANALYSES[name].table(sums)
        tables = made.values() if isinstance(made, Mapping) else [made]
        return next(found for found in tables if STATISTICS[name][0] in found)

    return table


def contained(
    units: Sequence[Unit], clusters: Sequence[Hashable], others: Sequence[Unit], name: str
) -> dict[str, np.ndarray]:
    """Return, by kind of number, which intervals of ``units`` contain the value of ``others``: booleans ``[row]``."""
    column, kind = STATISTICS[name]
    table = _table_of(name)
    own = tabulated(table, Sums.of((unit[name] for unit in units), clusters))
    other = table(Sums.of((unit[name] for unit in others), range(len(others))))[column].to_numpy()
    found = interval(lambda rows: rows[column].to_numpy(), own)
    inside = pd.Series((found.low <= other) & (other <= found.high))
    return {f"{name}, {kind} {value}": rows.to_numpy() for value, rows in inside.groupby(own.whole[kind])}


def coverage(units: Sequence[Unit], articles: Sequence[str], by_article: bool) -> pd.Series:
    """Return the mean share of intervals that contain the other half's value, by kind of number, over all splits.

    If not ``by_article``, the segments are shuffled, and each counts as independent.
    """
    random = np.random.default_rng(0)
    titles = np.unique(articles)
    found: dict[str, list[np.ndarray]] = {}
    for _ in range(SPLITS):
        first = np.isin(articles, random.permutation(titles)[: len(titles) // 2])
        halves = [random.permutation(np.flatnonzero(mask))[:SEGMENTS] for mask in (first, ~first)]
        for one, other in (halves, halves[::-1]):
            indices = sorted(one, key=lambda index: articles[index]) if by_article else one
            clusters = [articles[index] for index in indices] if by_article else range(len(indices))
            for name in ANALYSES:
                chosen, others = ([units[index] for index in half] for half in (indices, other))
                for kind, inside in contained(chosen, clusters, others, name).items():
                    found.setdefault(kind, []).append(inside)
    return pd.Series({kind: np.mean(inside) for kind, inside in found.items()})


def page() -> str:
    """Return the block of benchmarks/README.md."""
    with TemporaryDirectory(dir=scratch()) as folder:
        source = Source(Path(folder))
        segments = segments_of_wikitext(source.tokenizer, seed=0)[: 4 * SEGMENTS]
        units = list(sums_of_segments(source.encoder(EMBEDDED), source.tokenizer, segments))
    articles = [segment.article for segment in segments]
    shares = {way: coverage(units, articles, way == "articles") for way in ("articles", "segments")}
    rows = [(kind, *(f"{share[kind]:.1%}" for share in shares.values())) for kind in shares["articles"].index]
    means = [share.groupby(share.index.str.split(",").str[0]).mean() for share in shares.values()]
    rows += [(f"**{name}, mean**", *(f"{share[name]:.1%}" for share in means)) for name in ANALYSES]
    table = report.table(("numbers of heads", "blocks of whole articles", "blocks of shuffled segments"), rows)
    drawn = f"{SPLITS} splits of {len(set(articles))} articles, {SEGMENTS} segments of each half"
    return f"{drawn}. Nominal: {NOMINAL:.1%}.\n\n{table}"


def main() -> None:
    text = page()
    report.replace_block("coverage", text)
    print(text)


if __name__ == "__main__":
    main()
