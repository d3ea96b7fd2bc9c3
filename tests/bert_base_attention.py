"""The attention of bert-base-uncased on four short inputs, from the folder of real data."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np


def bert_base_sequences(real_data) -> list[SimpleNamespace]:
    """Return the sequences with their tokens, as an attention store would. Equal tokens have equal ids."""
    contents = [np.load(file) for file in sorted(real_data("bert_base_attention").glob("*.npz"))]
    ids = {token: index for index, token in enumerate(np.unique(np.concatenate([c["tokens"] for c in contents])))}
    return [
        SimpleNamespace(
            index=index,
            attention=content["attention"],
            tokens=content["tokens"].tolist(),
            token_ids=np.array([ids[token] for token in content["tokens"]]),
            word_ids=np.where(np.isin(content["tokens"], ["[CLS]", "[SEP]"]), -1, 0),
            categories={
                "cls": content["tokens"] == "[CLS]",
                "sep": content["tokens"] == "[SEP]",
                "punctuation": np.isin(content["tokens"], [".", ","]),
            },
        )
        for index, content in enumerate(contents)
    ]
