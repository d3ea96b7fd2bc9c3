"""Checks before the first job: everything that a run needs and this machine lacks."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from bert_attention.downloads.sources import check_download, is_downloaded, locate, parse_source
from bert_attention.errors import InputError
from bert_attention.running.edition import Edition
from bert_attention.running.gpus import has_gpu


def check_sources(edition: Edition, sources: Collection[tuple[str | int, ...]]) -> None:
    """Check that local sources exist, including downloads that have been fetched.

    Parameters
    ----------
    sources
        The keys that lead to each source in the edition.

    Raises
    ------
    InputError
        If sources are missing. The message has a line for each, which says how to get it.
    """
    lacking = [line for path in sorted(sources, key=str) for line in _problem_of_source(edition, path)]
    if lacking:
        listed = "".join(f"\n  - {line}" for line in lacking)
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
    except InputError as error:
        yield f"{'.'.join(map(str, path))} ({source}): {error.problem}; {error.for_workflow().remedy}"


def _check_encoder(folder: Path, source: str, has_tokenizer: bool) -> None:
    # Imported here, because every job loads this module.
    from bert_attention.models.model_folder import check_config, check_model  # noqa: PLC0415
    from bert_attention.models.sharded_weights import check_weight_files  # noqa: PLC0415

    if has_tokenizer:
        check_model(folder, source)
    else:
        check_config(folder)
        check_weight_files(folder, source)


def warnings(edition: Edition, sources: Collection[tuple[str | int, ...]]) -> Iterator[str]:
    """Yield warnings of possible failures: hosts of downloads that cannot be reached, and a missing GPU."""
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


def check_writable(folders: Iterable[Path | str]) -> None:
    """Check that a run can write into folders, which need not exist yet.

    Raises
    ------
    InputError
        At the first folder that is not writable.
    """
    for folder in map(Path, folders):
        existing = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
        if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
            problem = "is not writable" if existing.is_dir() else "is not a folder"
            raise InputError(
                existing, problem, "get the permission, or run in another folder: snakemake --directory FOLDER"
            )
