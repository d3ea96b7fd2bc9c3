"""The best of many heads, chosen on one half of the data and scored on the other.

Whoever chooses the best of 144 heads and scores it on the same data scores their luck, too. The papers do so
(``same_data``). The tables add ``held_out``: the best head on each half of the units (sentences, documents) is scored
on the other half, and both halves are counted together.

In every table ``layer`` and ``head`` are the choice of the first half, ``other_layer`` and ``other_head`` that of the
second. For ``same_data`` the two are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

SELECTIONS = ("same_data", "held_out")


def second_half(units: int, seed: int) -> np.ndarray:
    """Draw the second half of the units at random: a mask ``[unit]``, true for half of them, rounded down."""
    mask = np.zeros(units, dtype=bool)
    mask[np.random.default_rng(seed).permutation(units)[: units // 2]] = True
    return mask


@dataclass(frozen=True)
class Choice:
    """Places of the systems that are best on the first half of the units and on the second."""

    of_first: int
    of_second: int

    def scored(self, second: np.ndarray) -> np.ndarray:
        """The system to score on each unit, ``[unit]``: on each half, the choice of the other half.

        Parameters
        ----------
        second
            Mask ``[unit]`` of the second half.
        """
        return np.where(second, self.of_first, self.of_second)

    def columns(self, names: Callable[[int], Mapping[str, object]]) -> dict[str, object]:
        """The table's columns that name both choices; those of the second begin with ``other_``.

        Parameters
        ----------
        names
            The columns of one system, such as its ``layer`` and ``head``.
        """
        return {**names(self.of_first), **{f"other_{name}": value for name, value in names(self.of_second).items()}}


def choices(
    on_all: np.ndarray, on_first: np.ndarray, on_second: np.ndarray | None, preference: np.ndarray | None = None
) -> dict[str, Choice]:
    """The best systems by each selection.

    Parameters
    ----------
    on_all, on_first, on_second
        How good each system is on all units and on each half of them, ``[system]``. ``on_second`` is None if the second
        half has no units: then nothing can be held out, and only ``same_data`` is returned.
    preference
        Which of equally good systems to take: all of them, ``[system]``, the preferred first. None prefers the first.
    """
    order = np.arange(len(on_all)) if preference is None else preference

    def best(scores: np.ndarray) -> int:
        return int(order[scores[order].argmax()])

    found = {"same_data": Choice(best(on_all), best(on_all))}
    if on_second is not None:
        found["held_out"] = Choice(best(on_first), best(on_second))
    return found
