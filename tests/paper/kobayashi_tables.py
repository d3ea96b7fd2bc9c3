"""What tests of the printed tables of Kobayashi et al. share."""

from __future__ import annotations

from bert_attention.claims.publications import published_values
from bert_attention.paper.layout import PrintedTable
from tests.conftest import ROOT

CLAIMS = ROOT / "workflow" / "claims" / "kobayashi.yaml"


def published(table: str):
    """The published numbers that a table answers."""
    return published_values(CLAIMS, table)


def rows(table: PrintedTable) -> dict[str, list[str]]:
    """The texts of a printed table's rows by their first cells."""
    return {row[0].text: [cell.text for cell in row[1:]] for group in table.groups for row in group}
