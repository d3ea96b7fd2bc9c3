"""Runs docs/example.ipynb, and keeps its outputs in it: numbers and pictures, not what a machine says of itself."""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

NOTEBOOK = Path(__file__).with_name("example.ipynb")
LARGEST = 90_000  # characters of an output that is kept; the explorer's page is larger


def executed(file: Path = NOTEBOOK) -> NotebookNode:
    """Return the notebook with the outputs of all its cells; raise nbclient's error of the first cell that fails."""
    return NotebookClient(nbformat.read(file, as_version=4), timeout=600).execute()


def kept(notebook: NotebookNode) -> NotebookNode:
    """Return the notebook with the outputs that are worth keeping."""
    notebook.metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
        if cell.cell_type == "code":
            cell.outputs = [
                output for output in cell.outputs if output.output_type != "stream" and len(str(output.data)) <= LARGEST
            ]
    return notebook


def main() -> None:
    """Write the notebook again."""
    nbformat.write(kept(executed()), NOTEBOOK)


if __name__ == "__main__":
    sys.exit(main())
