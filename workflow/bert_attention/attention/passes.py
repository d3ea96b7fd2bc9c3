"""A pass: encoders run over a shard of a corpus, and each sequence goes to all analyses of a paper that read it.

A pass writes sums and no attention. All random encoders are added up in this way, and the encoder itself if the edition
keeps no attention.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from bert_attention.attention.extraction import StreamedShard
from bert_attention.attention.model_input import ModelInput, read_model_input
from bert_attention.attention.store import ShardInMemory
from bert_attention.files import folders_of
from bert_attention.plan import JobInput
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.wordpieces import load_tokenizer


class PassInputs:
    """The inputs of the analyses in a pass. Those that do not depend on the encoder are read once."""

    def __init__(
        self,
        files: Mapping[str, Any],
        shard: tuple[int, int],
        *,
        reader: Callable[[str], Callable],
        settings: Mapping[str, Mapping[str, Any]],
        seeds: Mapping[str, int | None],
        most: int | None,
        **run: Any,
    ):
        """Remember the files of a pass.

        Parameters
        ----------
        files
            The corpus, the tokenizer, the ``weights`` of the encoder and of the fine-tuned model (``finetuned``), and
            the inputs that are no attention, by their source.
        shard
            The number of the shard (from 1), and the number of shards.
        reader
            Imports the function that reads an input, by its name.
        settings
            The settings of the store that each input of attention stands for, by the input's name.
        seeds
            The seed of each random encoder by its number; None, with an empty number, for the encoder itself.
        most
            The number of units in a sample of the corpus, or None for all units.
        run
            Further arguments of :meth:`.ModelInput.streamed`.
        """
        self._files, self._shard, self._reader = files, shard, reader
        self._settings, self._seeds, self._most, self._run = settings, seeds, most, run
        self._found: dict[object, Any] = {}

    def read(self, each: JobInput, **part: object) -> StreamedShard | ShardInMemory | Any:
        """Return the attention of an input, before the encoder runs; the units of the pass; or a whole content."""
        if each.kind == "attention":
            if each.name == "finetuned":
                return self._finetuned(each)
            return self._streamed(each, "weights", self._seeds[each.seed])
        read, file = self._reader(each.reader), self._files[each.source]
        if "part" in part:
            return self._once((each.source, "units"), lambda: read(file, part=self._input(each).units))
        return self._once(each.source, lambda: read(file))

    def _streamed(self, each: JobInput, weights: str, weights_seed: int | None = None) -> StreamedShard:
        folder, settings = folders_of(self._files[weights])[0], self._settings[each.name]
        return self._input(each).streamed(folder, self._tokenizer, settings, weights_seed=weights_seed, **self._run)

    def _finetuned(self, each: JobInput) -> StreamedShard | ShardInMemory:
        """Return the attention of the fine-tuned model. Random encoders share it, so that it stays in memory.

        For each task, only one model is fine-tuned from random weights. Its weights are drawn as before BERT's training
        (Kovaleva et al. 2019, table 1), not as in the control. Its rows are the same for each random encoder, and add
        nothing to the variance between seeds. A single fine-tuned model says nothing about other seeds of fine-tuning.
        """
        if each.seed:
            return self._once(each.source, lambda: self._streamed(each, "finetuned").in_memory())
        return self._streamed(each, "finetuned")

    def _input(self, each: JobInput) -> ModelInput:
        settings = self._settings.get(each.name) or next(iter(self._settings.values()))
        read, corpus = read_model_input, self._files["corpus"]
        return self._once(str(settings), lambda: read(corpus, self._tokenizer, settings, self._shard, self._most))

    def _once(self, key: object, make: Callable[[], Any]) -> Any:
        if key not in self._found:
            self._found[key] = make()
        return self._found[key]

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        return load_tokenizer(folders_of(self._files["tokenizer"])[0])
