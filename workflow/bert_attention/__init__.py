"""Attention analyses of BERT-like encoders: corpora, extraction, the papers' statistics, figures.

>>> from bert_attention import AttentionModel, Study, draw, show

The library depends neither on Snakemake nor on the location of files; ``workflow/rules`` connects them.
``pyproject.toml`` states the minimum versions of dependencies. The names above are imported on first use, because most
jobs need neither torch nor matplotlib.
"""

from importlib import import_module

# The modules of the public names. Type checkers read the same names in ``__init__.pyi``.
_MODULES = {
    "AttentionModel": "interface.model",
    "InputError": "errors",
    "Study": "interface.study",
    "TextAttention": "interface.model",
    "draw": "interface.figures",
    "interval": "statistics.jackknife",
    "read_table": "tables",
    "show": "explorer.show",
}


def __getattr__(name: str) -> object:
    if name == "__version__":
        return import_module("importlib.metadata").version("bert-attention")
    if name in _MODULES:
        return getattr(import_module(f"bert_attention.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *_MODULES, "__version__"]
