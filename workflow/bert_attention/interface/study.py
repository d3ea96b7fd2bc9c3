"""The papers' analyses of a user's own texts and trees, in memory. The workflow does the same with files."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from warnings import warn

import pandas as pd
from tqdm import tqdm

from bert_attention.attention.contents import (
    control_number,
    control_seeds,
    store_name,
    store_settings,
    without_number,
)
from bert_attention.attention.extraction import extract, shard_metadata
from bert_attention.attention.store import ShardInMemory
from bert_attention.attention.words import RULES
from bert_attention.corpora.conllu import clusters_of_sentences, read_trees
from bert_attention.corpora.corefud import read_documents
from bert_attention.corpora.held_out import check_trees_held_out
from bert_attention.corpora.input_limits import documents_within, sentences_within
from bert_attention.corpora.segments import build_segments
from bert_attention.corpora.summaries import (
    UNKNOWN_TOKENS,
    Summary,
    documents_summary,
    segments_summary,
    summary_lines,
    trees_summary,
)
from bert_attention.corpora.token_frequency import token_ranks
from bert_attention.corpora.types import Document, Segment, Sentence
from bert_attention.errors import LARGEST_SEED, MOST_CONTROLS, InputError, check_choice, check_count
from bert_attention.interface.figures import draw
from bert_attention.interface.given_corpora import check_no_files, check_units, file_of, listed
from bert_attention.interface.model import BATCH_SIZE, AttentionModel
from bert_attention.interface.requirements import check_can_be_made, check_is_table, figure_named, makeable
from bert_attention.models.torch_defaults import torch_defaults
from bert_attention.plan import JobInput, Plan
from bert_attention.printing.summaries import summaries_html
from bert_attention.results import CONTROL, results
from bert_attention.running.analyses import sum_all, tables_of_inputs, tables_of_sums
from bert_attention.running.jobs import library_function
from bert_attention.statistics.jackknife import Replicates
from bert_attention.statistics.sums import blocks_of
from bert_attention.statistics.tables import as_written
from bert_attention.tokenization.delimiters import Delimiters
from bert_attention.tokenization.masking import mask_sequences
from bert_attention.tokenization.sequences import EncodedSequence
from bert_attention.tokenization.texts import Text, encode_texts, segments_of
from bert_attention.tokenization.tokenizer import Tokenizer
from bert_attention.tokenization.unknown_tokens import check_is_known, wordpieces_of
from bert_attention.tokenization.wordpieces import segment_reader
from bert_attention.tokenization.words import encode_words, wordpieces_of_words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SECONDS_WITHOUT_BAR = 3  # a bar of a shorter pass only flickers
_FEWEST_WORDPIECES = 8  # special tokens included, so that both parts of a segment have some


@dataclass(frozen=True)
class _Units:
    """A kind of corpus made of words: the argument's name, the type of its units, their reader, and how to cut them."""

    name: str
    type: type
    read: Callable[[Path], list]
    within: Callable


_TREES = _Units("trees", Sentence, read_trees, sentences_within)
_DOCUMENTS = _Units("documents", Document, read_documents, documents_within)


@dataclass(frozen=True, repr=False)
class Inputs:
    """Summaries of a study's corpora, which print as text and show as HTML in a notebook."""

    summaries: tuple[Summary, ...]

    def __repr__(self) -> str:
        return "\n".join(summary_lines(self.summaries))

    def _repr_html_(self) -> str:
        return summaries_html(self.summaries)


class Study:
    """The papers' analyses of an encoder on a user's own corpora.

    The encoder runs once over each corpus, when an analysis first needs it. Its output stays in memory as long as the
    study. A text of 128 tokens takes 2.6 MB for an encoder of 6 layers of 12 heads, and 5.3 MB for bert-base. For more
    than a few thousand texts, use the workflow, whose memory does not grow with the corpus. A study is of the encoder
    as it first ran: after a change of its weights, make a new study.
    """

    def __init__(
        self,
        model: AttentionModel,
        *,
        texts: Path | str | Sequence[Text] | None = None,
        trees: Path | str | Sequence[Sentence] | None = None,
        train_trees: Path | str | Sequence[Sentence] | None = None,
        documents: Path | str | Sequence[Document] | None = None,
        most_segments: int | None = 500,
        max_wordpieces: int = 128,
        words: str = "mean",
        seed: int = 1906,
        control_seeds: int = 3,
        text_format: str = "auto",
    ):
        """Read the corpora. Each corpus serves some analyses; see :attr:`available`.

        A file is given by its path, or by its source as in an edition (``package:<distribution>/<path>``).

        Parameters
        ----------
        texts
            A list of texts, each a string or a tuple of two strings: a text and the text that follows. Each text is one
            input of the encoder. Or a file or folder of running text (plain text, Parquet files, WikiText or a
            MediaWiki dump), which is cut into segments of two parts, in random order, as in the workflow.
        trees
            A CoNLL-U file, or its sentences.
        train_trees
            A CoNLL-U file, or its sentences, for training probes. The probes are tested on ``trees``.
        documents
            A CorefUD file (CoNLL-U with Entity= in MISC), or its documents.
        most_segments
            The maximum number of segments, or None for all.
        max_wordpieces
            The maximum length of an input, special tokens included. Segments are cut to this length, longer sentences
            are skipped with a warning, and longer documents are truncated. A list of texts has no such limit.
        words
            The rule for attention from a word, given the attention from its wordpieces: mean, first or max.
        seed
            The seed of everything random.
        control_seeds
            The number of encoders with random weights in the control.
        text_format
            The format of a file or folder of running text, as in an edition: auto, plain, lines, wikitext, documents or
            mediawiki.

        Raises
        ------
        InputError
            If a corpus cannot be read, no part of it fits, most of ``trees`` are in ``train_trees``, or an argument is
            invalid. The message names file and line.
        """
        if not isinstance(model, AttentionModel):
            problem = f"is a {type(model).__name__}, not an AttentionModel"
            raise InputError("model", problem, "give AttentionModel.from_pretrained(...) or .from_transformers(...)")
        check_choice("words", words, RULES)
        if most_segments is not None:
            check_count("most_segments", most_segments, 1)
        budget = check_count("max_wordpieces", max_wordpieces, _FEWEST_WORDPIECES)
        self.model, self.seed = model, check_count("seed", seed, 0, LARGEST_SEED)
        self._control_size = check_count("control_seeds", control_seeds, 1, MOST_CONTROLS)
        self._words, self._budget = words, min(budget, model.max_length)
        self._stores: dict[str, ShardInMemory] = {}
        self._version: tuple = ()  # of the encoder that made the stores
        self._tables: dict[str, Replicates] = {}
        self._inputs: list[Summary] = []
        self._segments = [] if texts is None else self._read_texts(texts, most_segments, text_format)
        self._sentences = {
            name: self._read_units(source, _TREES, partial(trees_summary, split))
            for name, split, source in (("treebank_dev", "dev", trees), ("treebank_train", "train", train_trees))
            if source is not None
        }
        if trees is not None and train_trees is not None:
            check_trees_held_out(self._sentences["treebank_train"], self._sentences["treebank_dev"], "train_trees")
        self._documents = [] if documents is None else self._read_units(documents, _DOCUMENTS, documents_summary)

    def __repr__(self) -> str:
        read = (f"{summary.title} ({next(iter(summary.counts.values()))})" for summary in self._inputs)
        return f"<Study of {self.model.name}: {', '.join(read) or 'no corpora'}>"

    @property
    def corpora(self) -> list[str]:
        """Corpora of the study: some of texts, trees, train_trees and documents."""
        has = {
            "texts": self._segments,
            "trees": "treebank_dev" in self._sentences,
            "train_trees": "treebank_train" in self._sentences,
            "documents": self._documents,
        }
        return [corpus for corpus, is_there in has.items() if is_there]

    @property
    def available(self) -> list[str]:
        """Names of the tables and figures that can be made from the study's corpora."""
        return list(makeable(self.corpora))

    @property
    def inputs(self) -> Inputs:
        """Summaries of the corpora as they were read: sizes, what was left out, and examples as the analyses see them.

        The value prints as text, and shows as HTML in a notebook.
        """
        return Inputs(tuple(self._inputs))

    def table(self, name: str) -> pd.DataFrame:
        """Return a table of ``results.yaml`` as the workflow writes it, with layers and heads from 1.

        Each statistic is followed by the bounds of its 95% interval over texts, sentences or documents (``low`` and
        ``high``, by the delete-a-group jackknife). Bounds are NaN if there is only one unit. ``control/<name>`` is the
        same table for several encoders with random weights, whose rows are stacked. Its column ``seed`` numbers the
        encoders from 1. A progress bar appears on a terminal or in a notebook if the encoder or the analysis takes more
        than a few seconds.

        Raises
        ------
        InputError
            If there is no such table, or it cannot be made from the study's corpora, or in memory. Also if the encoder
            has changed since the study first ran it.
        """
        return as_written(self.replicates(name), name.removeprefix(CONTROL))

    def replicates(self, name: str) -> Replicates:
        """Return a table with its replicates, from which :func:`bert_attention.interval` makes any other interval.

        Raises
        ------
        InputError
            As :meth:`table`.
        """
        check_is_table(name)
        check_can_be_made(name, self.corpora)
        for analysis in results().needs(name.removeprefix(CONTROL)):
            self.model.encoder.check_supports(analysis)
        if name not in self._tables:
            self._tables |= self._make(name)
        return self._tables[name]

    def figure(self, name: str, published_curves: bool = False) -> Figure:
        """Draw a figure of ``results.yaml``. The parameters are those of :func:`bert_attention.draw`.

        Raises
        ------
        InputError
            If there is no such figure, or it cannot be made from the study's corpora, or in memory.
        """
        from bert_attention.figures.style import name_delimiters  # noqa: PLC0415 (imports matplotlib)

        name = figure_named(name)
        check_can_be_made(name, self.corpora)
        drawn = draw(name, {table: self.table(table) for table in results().figures[name].tables}, published_curves)
        figure = cast("Figure", drawn)  # only the scoreboard is several figures, and no study can make it
        name_delimiters(figure, _delimiters(self.model.tokenizer))
        return figure

    @torch_defaults()
    def _make(self, name: str) -> dict[str, Replicates]:
        """Return a table, and the tables that are made with it, by name."""
        maker = self._plan.maker(name)
        entry, inputs = results().table(maker), self._plan.inputs(maker)
        function = library_function(self._plan.function(maker))
        if entry.units:
            sums = library_function(self._plan.function(maker, "sums"))
            made = tables_of_sums(function, sum_all(inputs, self._read, sums, partial(_progress, what=maker)))
        else:
            seed = {"seed": self.seed} if "seed" in entry.kwargs else {}
            made = tables_of_inputs(inputs, self._read, function, bool(entry.statistics), **seed)
        prefix = maker.removesuffix(maker.removeprefix(CONTROL))
        return {maker: made} if isinstance(made, Replicates) else {prefix + key: made[key] for key in made}

    def _read(self, each: JobInput, **_: object) -> Any:
        """Return an input of an analysis. All its units are one part."""
        name = each.name
        match each.kind:
            case "attention":
                return self._store(store_name(name, each.paper, self._segment_ids, number=each.seed))
            case "trees":
                return self._sentences[name]
            case "documents":
                return self._documents
            case "ranks":
                sequences = self._sequences("segments", "zeros")
                counts = Counter(int(token) for sequence in sequences for token in sequence.token_ids)
                return token_ranks(counts, len(self.model.tokenizer))
            case "table":
                return self.replicates(name)
        raise ValueError(f"a study cannot have {each}")

    @cached_property
    def _segment_ids(self) -> dict[str, str]:
        return {paper: ids if self.model.segment_types > 1 else "zeros" for paper, ids in results().segment_ids.items()}

    @cached_property
    def _plan(self) -> Plan:
        return Plan(results(), control_seeds=self._control_seeds)

    @cached_property
    def _control_seeds(self) -> dict[str, int]:
        return control_seeds(self.seed, self._control_size)

    def _store(self, name: str) -> ShardInMemory:
        """Return the attention store of a corpus, by the store's name. The encoder runs on first use.

        Raise InputError if the encoder has changed since the first store was made.
        """
        version = self.model.encoder.version
        if self._stores and version != self._version:
            problem = (
                "its weights, modules or hooks have changed, or are on another device, since this study first ran it"
            )
            raise InputError(f"model {self.model.name}", problem, "make a new Study")
        self._version = version
        if name not in self._stores:
            number = control_number(name)
            model = self.model.with_random_weights(self._control_seeds[number]) if number else self.model
            self._stores[name] = self._extract(name, model)
        return self._stores[name]

    def _extract(self, name: str, model: AttentionModel) -> ShardInMemory:
        encoder, tokenizer = model.encoder, model.tokenizer
        lacking = encoder.family.left_out.keys()
        made = store_settings(name, self._segment_ids, self.seed, self._words, lacking)
        corpus = without_number(name)
        sequences = self._sequences(corpus, made["segment_ids"])
        if made["masked_share"]:
            sequences = mask_sequences(sequences, tokenizer.mask_token_id, made["masked_share"], self.seed)
        described = {"model": model.name, "weights_seed": self._control_seeds.get(control_number(name)), **made}
        described |= {"blocks": blocks_of(self._clusters(corpus))}
        store = ShardInMemory(shard_metadata(encoder, tokenizer, None, range(len(sequences)), **described))
        show = partial(_progress, what=f"attention, {name}")
        extract(encoder, sequences, store, BATCH_SIZE, tokenizer.pad_token_id, show)
        return store

    def _sequences(self, corpus: str, segment_ids: str) -> list[EncodedSequence]:
        """Return the model input of a corpus, by the name of its store."""
        tokenizer = self.model.tokenizer
        if corpus in self._sentences:
            texts: list[Sequence[str]] = [sentence.forms for sentence in self._sentences[corpus]]
        elif corpus == "coreference":
            texts = [document.forms for document in self._documents]
        else:
            return encode_texts(self._segments, tokenizer, segment_ids, self.model.max_length)
        return [encode_words(words, tokenizer) for words in wordpieces_of_words(texts, tokenizer)]

    def _clusters(self, corpus: str) -> Sequence[Hashable]:
        """Return the article or document of each sequence of a corpus, by the name of its store."""
        if corpus in self._sentences:
            return clusters_of_sentences(self._sentences[corpus])
        if corpus == "coreference":
            return [document.text_id for document in self._documents]
        return [segment.article for segment in self._segments]

    def _read_texts(self, texts: Path | str | Sequence[Text], most: int | None, form: str) -> list[Segment]:
        tokenizer = self.model.tokenizer
        if isinstance(texts, Path | str):
            from bert_attention.corpora.running_text import read_running_text  # noqa: PLC0415 (takes seconds)

            articles, unread = read_running_text(file_of(texts, "texts"), form)
            tokenize, budget = segment_reader(tokenizer, self._budget)
            found, uncut = build_segments(articles, tokenize, "sentences", budget, self.seed)
            left_out = unread + uncut
            _warn_left_out("texts", left_out)
            left_out["segments not drawn"] = len(found) - len(found[:most])
            found = found[:most]
        else:
            given = listed(texts, "texts", "texts")
            check_no_files(given)
            found, left_out = segments_of(given, tokenizer), Counter()
        if not found:
            raise InputError(
                "texts", "hold no text that is long enough", "give texts of several sentences that fit into an input"
            )
        shares = {UNKNOWN_TOKENS: check_is_known(wordpieces_of(found), tokenizer, "texts")}
        self._inputs.append(segments_summary(found, left_out, shares))
        first = {segment.article: index for index, segment in reversed(list(enumerate(found)))}
        return sorted(found, key=lambda segment: first[segment.article])  # the segments of an article are adjacent

    def _read_units(self, source: Path | str | Sequence, units: _Units, summary: Callable[..., Summary]) -> list:
        """Return the sentences or documents that fit into an input."""
        name = units.name
        if isinstance(source, Path | str):
            found = units.read(file_of(source, name))
        else:
            found = listed(source, name, units.type.__name__)
            check_units(found, units.type, name)
        tokenizer = self.model.tokenizer
        budget = self._budget - len(tokenizer.layout.opening) - len(tokenizer.layout.closing)
        wordpieces = wordpieces_of_words((each.forms for each in found), tokenizer)
        shares = {UNKNOWN_TOKENS: check_is_known(chain.from_iterable(wordpieces), tokenizer, name)}
        kept, left_out = units.within(found, wordpieces, budget, "error", name)
        _warn_left_out(name, left_out)
        self._inputs.append(summary(kept, left_out, shares))
        return kept


def _progress(items: Iterable, what: str, total: int | None = None) -> Iterator:
    """Yield the items. After some seconds, show a progress bar on a terminal or in a notebook, but in no log."""
    hidden = not sys.stderr.isatty() and "ipykernel" not in sys.modules
    bar = tqdm(items, what, total, leave=False, disable=hidden, dynamic_ncols=True, delay=_SECONDS_WITHOUT_BAR)
    return iter(bar)


def _warn_left_out(name: str, left_out: Counter[str]) -> None:
    """Warn of the skipped parts of a corpus, as the workflow logs them."""
    for reason, count in left_out.items():
        warn(f"{name}: left out {count} {reason}", stacklevel=4)


def _delimiters(tokenizer: Tokenizer) -> Delimiters:
    """Return the tokens that a tokenizer puts around texts, and its mark of a space."""
    layout = tokenizer.layout
    last = layout.closing[-1]
    opening, closing = tokenizer.convert_ids_to_tokens([layout.opening[0], last])
    closings = (*layout.middle, *layout.closing).count(last)
    return Delimiters(opening, closing, closings, tokenizer.marks.space)
