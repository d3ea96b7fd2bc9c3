"""What the papers' tables say: the blocks of rows in ``workflow/claims/<paper>.yaml``."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import yaml

from bert_attention.checks import InputError


def published_rows(path: Path | str, name: str) -> pd.DataFrame:
    """The rows of one block, such as ``table_1``; empty fields are NaN.

    Raises
    ------
    InputError
        If the file has no such block in the expected form.
    """
    try:
        rows = yaml.safe_load(Path(path).read_text(encoding="utf-8"))[name]["rows"]
        return pd.DataFrame([dict(row) for row in rows])
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise InputError(
            path, f"has no readable {name} ({error!r})", f"give {name}: a mapping with rows: [...]"
        ) from None
