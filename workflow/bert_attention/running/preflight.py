"""What the jobs of a run need and this machine lacks, reported all at once before the first job."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bert_attention.downloads.sources import check_download, locate, parse_source
from bert_attention.errors import InputError
from bert_attention.running.encoders import check_folder


@dataclass
class Needs:
    """What jobs need from outside: sources that are read, each with a job that reads it, and those to be downloaded.

    Of the sources, ``encoders`` are those that are an encoder's folder. ``gpu`` has the jobs for a GPU.
    """

    local: dict[str, str] = field(default_factory=dict)
    remote: list[str] = field(default_factory=list)
    gpu: list[str] = field(default_factory=list)
    encoders: dict[str, str] = field(default_factory=dict)


def needs_of(jobs: Iterable[Any]) -> Needs:
    """What Snakemake jobs need, by their parameters ``origin``, ``origins``, ``fetched`` and their resource ``gpu``.

    Snakemake gives jobs in no order: what is lacking is told by their names.
    """
    needs = Needs()
    for job in sorted(jobs, key=_name):
        name = _name(job)
        made = {f"path:{file}" for file in job.input}
        origins = [job.params.get("origin"), *job.params.get("origins", {}).values()]
        for origin in filter(None, origins):
            if origin["source"] not in made:
                needs.local[origin["source"]] = name
        if job.rule.name == "model":
            needs.encoders[job.params["origin"]["source"]] = name
        needs.remote += job.params.get("fetched", {})
        if job.resources.get("gpu", 0):
            needs.gpu.append(name)
    return needs


def _name(job: Any) -> str:
    return " ".join([job.rule.name, *job.wildcards])


def check_needs(needs: Needs, edition: str, device: str, runs_here: bool) -> None:
    """Check that everything that jobs need is within reach.

    Parameters
    ----------
    device
        As set in the edition.
    runs_here
        Whether jobs run on this machine rather than on a cluster whose nodes have other devices.

    Raises
    ------
    InputError
        With a line for each missing thing, saying how to get it.
    """
    lacking = [
        *_missing_sources(needs),
        *_unreachable_sources(needs),
        *(_missing_gpu(needs) if device == "cuda" and runs_here else []),
    ]
    if lacking:
        listed = "".join(f"\n  - {line}" for line in lacking)
        remedy = "get what is missing, change it in the edition, or choose another one with --configfile"
        raise InputError(f"edition {edition}", f"this machine lacks{listed}", remedy)


def _missing_sources(needs: Needs) -> Iterator[str]:
    for source, job in needs.local.items():
        if source in needs.remote:  # downloaded by then
            continue
        try:
            if parse_source(source).is_remote:
                check_download(source, contents=False)  # the job compares those
            place = locate(source)
            if source in needs.encoders:
                check_folder(place)
        except InputError as error:
            yield f"{needs.encoders.get(source, job)} ({source}): {error.problem}; {error.remedy}"


def _unreachable_sources(needs: Needs) -> Iterator[str]:
    from bert_attention.downloads.clients import unreachable_host  # noqa: PLC0415 (loaded where there is something to fetch)

    by_host: dict[str, list[str]] = {}
    for source in needs.remote:
        by_host.setdefault(unreachable_host(source), []).append(source)
    for host, sources in by_host.items():
        if host:
            further = f" and {len(sources) - 3} others" if len(sources) > 3 else ""
            yield (
                f"{host} cannot be reached, from which {', '.join(sources[:3])}{further} are to be downloaded; connect "
                "to the network, or copy resources/downloads from a machine on which `snakemake downloads` has run"
            )


def check_writable(folders: Iterable[Path | str]) -> None:
    """Check that a run can write into folders, of which some may not be there yet.

    Raises
    ------
    InputError
        At the first in which it cannot.
    """
    for folder in map(Path, folders):
        there = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            problem = "cannot be written into" if there.is_dir() else "is not a folder"
            raise InputError(
                there, problem, "get the permission, or run in another folder: snakemake --directory FOLDER"
            )


def _missing_gpu(needs: Needs) -> Iterator[str]:
    import torch  # noqa: PLC0415 (takes seconds, and is rarely asked)

    if needs.gpu and not torch.cuda.is_available():
        yield f"{needs.gpu[0]}: device: cuda, but PyTorch finds no GPU here; set device: auto, or run on a GPU machine"
