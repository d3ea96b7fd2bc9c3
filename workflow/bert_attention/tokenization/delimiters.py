"""The tokens that a tokenizer puts around texts, and its mark for a space, for figures and captions.

They are read without the tokenizer's library.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# Names in texts and figures, which are BERT's.
CLS, SEP = "[CLS]", "[SEP]"
_OF_BERT, _OF_ROBERTA = 2, 3  # closing tokens in a pair
_BYTE_LEVEL_SPACE, _SHOWN_SPACE = "\N{LATIN CAPITAL LETTER G WITH DOT ABOVE}", "\N{OPEN BOX}"
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class Delimiters:
    """The tokens that open and close texts, and the mark of the space before a word."""

    opening: str = CLS  # the token before a text, which texts call [CLS]
    closing: str = SEP  # the token after a text, which texts call [SEP]
    closings_of_pair: int = _OF_BERT  # the number of closing tokens in a pair of texts
    space: str = ""  # the symbol in a token for the space before it; empty if there is none

    @classmethod
    def read(cls, file: Path | str) -> Delimiters:
        """Read the tokens from a ``tokenizer.json``; BERT's tokens if the file does not say which it uses."""
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        space = _space(content)
        for processor in _parts(content.get("post_processor"), "processors"):
            match processor:
                case {"type": "TemplateProcessing", "pair": list(pieces)}:
                    special = [piece["SpecialToken"]["id"] for piece in pieces if "SpecialToken" in piece]
                    if special:
                        return cls(special[0], special[-1], special.count(special[-1]), space)
                case {"type": "BertProcessing" | "RobertaProcessing" as kind, "cls": [opening, _], "sep": [closing, _]}:
                    return cls(opening, closing, _OF_BERT if kind == "BertProcessing" else _OF_ROBERTA, space)
        return cls(space=space)

    @property
    def are_of_bert(self) -> bool:
        """True if the tokens are BERT's."""
        return (self.opening, self.closing, self.closings_of_pair) == (CLS, SEP, _OF_BERT)

    def named_in(self, text: str) -> str:
        """Return a text with these tokens in place of [CLS] and [SEP], and without marks of spaces."""
        named = text.replace(CLS, self.opening).replace(SEP, self.closing)
        return _SHOWN_SPACE if self.space and named == self.space else named.replace(self.space, "")

    def caption(self, text: str) -> str:
        """Return a caption with these tokens, and with their number in a pair if it is not BERT's."""
        is_about_pairs = SEP in text and self.closings_of_pair != _OF_BERT
        return self.named_in(text) + (f" {self._pair_sentence}" if is_about_pairs else "")

    def note(self, model: str) -> str:
        """Return a sentence on the names of the tokens of a model."""
        named = f"{model} has the tokens {self.opening} and {self.closing} where texts say {CLS} and {SEP}."
        return f"{named} {self._pair_sentence}" if self.closings_of_pair != _OF_BERT else named

    @property
    def _pair_sentence(self) -> str:
        number = _NUMBERS.get(self.closings_of_pair, self.closings_of_pair)
        return f"A pair of texts has {number} {self.closing}."


def _space(content: Mapping) -> str:
    """Return the mark of a space in the tokens of a ``tokenizer.json``, or an empty text."""
    if content.get("model", {}).get("continuing_subword_prefix"):  # marks the other pieces of a word instead
        return ""
    parts = {
        part["type"]: part
        for name, inner in (("pre_tokenizer", "pretokenizers"), ("decoder", "decoders"))
        for part in _parts(content.get(name), inner)
    }
    return _BYTE_LEVEL_SPACE if "ByteLevel" in parts else parts.get("Metaspace", {}).get("replacement", "")


def _parts(component: Mapping | None, inner: str) -> Iterator[Mapping]:
    """Yield a component of a tokenizer, or the parts of a sequence, which are named ``inner``."""
    if component and component["type"] == "Sequence":
        for part in component[inner]:
            yield from _parts(part, inner)
    elif component:
        yield component
