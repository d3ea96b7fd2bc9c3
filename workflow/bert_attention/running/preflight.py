"""Checks before the first job: everything that a run needs and this machine lacks."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from bert_attention.corpora.task_names import TASK_LABELS
from bert_attention.downloads.sources import check_download, is_downloaded, locate, parse_source
from bert_attention.errors import InputError
from bert_attention.running.edition import Edition
from bert_attention.running.edition_checks import columns_of_task
from bert_attention.running.gpus import has_gpu


def check_sources(
    edition: Edition, sources: Collection[tuple[str | int, ...]], uses_of_text: Collection[tuple[str, str]] = ()
) -> None:
    """Raise InputError if local sources are missing, fetched downloads included, or if the text is too short.

    The message has a line for each problem, with its remedy. ``sources`` are the keys that lead to each source in the
    edition. ``uses_of_text`` says what the run uses the running text for, as in :func:`.read_short_text`.
    """
    lacking = [line for path in sorted(sources, key=str) for line in _problem_of_source(edition, path)]
    lacking += _problems_of_text(edition, frozenset(uses_of_text))
    if lacking:
        listed = "".join(f"\n  - {line}" for line in dict.fromkeys(lacking))
        remedy = "get the missing sources, change them in the edition, or choose another edition with --configfile"
        raise InputError(f"edition {edition.name}", f"this machine lacks{listed}", remedy)


def _problem_of_source(edition: Edition, path: tuple[str | int, ...]) -> Iterator[str]:
    source = edition.origin(*path)["source"]
    is_remote = parse_source(source).is_remote
    if not is_downloaded(source) if is_remote else edition.files(*path):  # a job fetches or makes the source
        return
    try:
        if is_remote:
            check_download(source, contents=False)  # the job that reads the source compares contents
        folder = locate(source)
        if path[0] in ("models", "fine_tuning"):
            _check_encoder(folder, source, has_tokenizer=path[0] == "models")
        elif path[0] in _MAIN_FILES:
            _check_has_file(folder, *_MAIN_FILES[path[0]])
        elif path[:2] in _BEGINNINGS:
            _open(folder, edition, path)
    except InputError as error:
        yield f"{'.'.join(map(str, path))} ({source}): {error.problem}; {error.for_workflow().remedy}"


def _open(corpus: Path, edition: Edition, path: tuple[str | int, ...]) -> None:
    """Raise InputError, whose problem names the file and line, if a corpus cannot be read from its beginning."""
    try:
        _BEGINNINGS[path[:2]](corpus, edition.config, path[-1])
    except InputError as error:
        raise InputError(corpus, f"{error.where}: {error.problem}", error.remedy, error.in_workflow) from None


def _read_first_tree(path: Path, config: Mapping, split: str) -> None:
    from bert_attention.corpora.conllu import read_conllu  # noqa: PLC0415 (every job loads this module)

    read_conllu(path, config["on_bad_input"], part=range(1))


def _read_first_document(path: Path, config: Mapping, corpus: str) -> None:
    from bert_attention.corpora.corefud import read_corefud  # noqa: PLC0415

    if config["corpora"][corpus]["format"] == "corefud":
        read_corefud(path, config["on_bad_input"], part=range(1))


def _read_first_rows(path: Path, config: Mapping, task: str) -> None:
    from bert_attention.corpora.glue import check_folder  # noqa: PLC0415
    from bert_attention.corpora.labeled_tables import Columns, check_labeled_table  # noqa: PLC0415
    from bert_attention.corpora.sts_benchmark import check_sts_benchmark, is_sts_benchmark  # noqa: PLC0415

    if task not in TASK_LABELS:
        check_labeled_table(path, Columns(**columns_of_task(config, task)))
    elif path.is_dir():
        check = check_sts_benchmark if is_sts_benchmark(path) else check_folder
        check(path, task)


def _read_first_frame(path: Path, config: Mapping, corpus: str) -> None:
    from bert_attention.corpora.frames import read_framed  # noqa: PLC0415

    if config["corpora"][corpus]["format"] == "jsonl":
        read_framed(path, config["on_bad_input"], part=range(1))


def _read_first_vector(path: Path, _: Mapping, __: str) -> None:
    from bert_attention.corpora.vectors import check_vectors  # noqa: PLC0415

    check_vectors(path)


def _find_format(path: Path, config: Mapping, corpus: str) -> None:
    from bert_attention.corpora.running_text import read_running_text  # noqa: PLC0415

    read_running_text(path, config["corpora"][corpus]["format"])


# Opens a corpus far enough to see that it is one, by its keys in the edition: a wrong folder would stop the run later.
_BEGINNINGS = {
    ("corpora", "wikipedia"): _find_format,
    ("corpora", "treebank"): _read_first_tree,
    ("corpora", "coreference"): _read_first_document,
    ("corpora", "tasks"): _read_first_rows,
    ("corpora", "frames"): _read_first_frame,
    ("corpora", "vectors"): _read_first_vector,
}
# Files that a folder must have, any of them, by the key of its source.
_MAIN_FILES = {
    "spacy": ("config.cfg",),
    "stanza": ("resources.json",),
    "translation_models": ("model.safetensors", "model.safetensors.index.json"),
}


def _check_has_file(folder: Path, *names: str) -> None:
    if not any((folder / name).is_file() for name in names):
        raise InputError(folder, f"holds no {' or '.join(names)}", "give the folder of the model, with all its files")


def _problems_of_text(edition: Edition, uses: frozenset[tuple[str, str]]) -> Iterator[str]:
    if not uses:
        return
    from bert_attention.running.short_texts import read_short_text, shortages  # noqa: PLC0415 (every job loads this module)

    where = f"corpora.wikipedia ({edition.origin('corpora', 'wikipedia')['source']})"
    try:
        text = read_short_text(edition, uses)
    except InputError as error:
        yield f"{where}: {error.problem}; {error.for_workflow().remedy}"
        return
    if text is not None:
        yield from (f"{where}: {problem}" for problem in shortages(edition, text, uses))


def _limitations_of_text(edition: Edition, uses: frozenset[tuple[str, str]]) -> Iterator[str]:
    if not uses:
        return
    from bert_attention.running.short_texts import limitations, read_short_text  # noqa: PLC0415

    try:
        text = read_short_text(edition, uses)
    except InputError:  # the check reports it
        return
    if text is not None:
        yield from limitations(edition, text, uses)


def _check_encoder(folder: Path, source: str, has_tokenizer: bool) -> None:
    # These modules are imported here, because every job loads this module.
    from bert_attention.models.model_folder import check_config, check_model  # noqa: PLC0415
    from bert_attention.models.sharded_weights import check_weight_files  # noqa: PLC0415

    if has_tokenizer:
        check_model(folder, source)
    else:
        check_config(folder)
        check_weight_files(folder, source)


def warnings(
    edition: Edition, sources: Collection[tuple[str | int, ...]], uses_of_text: Collection[tuple[str, str]] = ()
) -> Iterator[str]:
    """Yield warnings: hosts of downloads that cannot be reached, a missing GPU, and what a short text does not give.

    The parameters are those of :func:`check_sources`.
    """
    from bert_attention.downloads.clients import WITHOUT_NETWORK, unreachable_host  # noqa: PLC0415 (every job loads this module)

    by_host: dict[str | None, list[str]] = {}
    for source in sorted({edition.origin(*path)["source"] for path in sources}):
        if parse_source(source).is_remote and not is_downloaded(source):
            by_host.setdefault(unreachable_host(source), []).append(source)
    for host, missing in by_host.items():
        if host:
            further = f" and {len(missing) - 3} others" if len(missing) > 3 else ""
            listed = f"{', '.join(missing[:3])}{further}"
            yield f"{host} cannot be reached, but the run must download {listed} from it; {WITHOUT_NETWORK}"
    if sources and edition.config["device"] == "cuda" and not has_gpu():
        yield "device: cuda, but PyTorch finds no GPU here; set device: auto, or run on a machine or cluster with GPUs"
    yield from _limitations_of_text(edition, frozenset(uses_of_text))


def check_writable(folders: Iterable[Path | str]) -> None:
    """Raise InputError at the first folder into which a run cannot write. Folders need not exist yet."""
    for folder in map(Path, folders):
        existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
            problem = "is not writable" if existing.is_dir() else "is not a folder"
            raise InputError(
                existing, problem, "get the permission, or run in another folder: snakemake --directory FOLDER"
            )
