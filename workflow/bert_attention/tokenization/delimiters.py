"""The tokens that a tokenizer puts around texts, read without the tokenizer's library, for figures and captions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

# Names in texts and figures, which are BERT's.
CLS, SEP = "[CLS]", "[SEP]"
_OF_BERT, _OF_ROBERTA = 2, 3  # closing tokens in a pair
_NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}


@dataclass(frozen=True)
class Delimiters:
    """The tokens that open and close texts."""

    opening: str = CLS  # the token before a text, which texts call [CLS]
    closing: str = SEP  # the token after a text, which texts call [SEP]
    closings_of_pair: int = _OF_BERT  # the number of closing tokens in a pair of texts

    @classmethod
    def read(cls, file: Path | str) -> Delimiters:
        """Read the tokens from a ``tokenizer.json``; BERT's tokens if the file does not say which it uses."""
        content = json.loads(Path(file).read_text(encoding="utf-8"))
        for processor in _processors(content.get("post_processor")):
            match processor:
                case {"type": "TemplateProcessing", "pair": list(pieces)}:
                    special = [piece["SpecialToken"]["id"] for piece in pieces if "SpecialToken" in piece]
                    if special:
                        return cls(special[0], special[-1], special.count(special[-1]))
                case {"type": "BertProcessing" | "RobertaProcessing" as kind, "cls": [opening, _], "sep": [closing, _]}:
                    return cls(opening, closing, _OF_BERT if kind == "BertProcessing" else _OF_ROBERTA)
        return cls()

    @property
    def are_of_bert(self) -> bool:
        """True if the tokens are BERT's."""
        return self == Delimiters()

    def named_in(self, text: str) -> str:
        """Return a text with these tokens in place of [CLS] and [SEP]."""
        return text.replace(CLS, self.opening).replace(SEP, self.closing)

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


def _processors(processor: Mapping | None) -> Iterator[Mapping]:
    """Yield a post-processor, or the parts of a sequence of post-processors."""
    if processor and processor["type"] == "Sequence":
        for part in processor["processors"]:
            yield from _processors(part)
    elif processor:
        yield processor
