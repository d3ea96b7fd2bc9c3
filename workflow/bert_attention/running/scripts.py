"""How the script of every rule runs: with a log, and on files that are as they were made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bert_attention.files import folders_of
from bert_attention.manifest import MANIFEST, check_digest, remove_digest, write_digest
from bert_attention.running.at_work import job_at_work
from bert_attention.running.gpus import own_gpu
from bert_attention.running.jobs import configure_logging

# Where what is made is compared whenever it is read. Tables in ``results`` are a user's to edit.
_COMPARED = "resources"


def run_script(main: Callable[[Any], None], job: Any, *, has_checksums: bool = False) -> None:
    """Run a rule's script on its job.

    Whatever it reads is compared with its digest, if it has one, and whatever it makes in ``resources`` gets one. Of
    folders, the library compares what it reads with their manifests. Object storage carries the files alone that a rule
    names, and checks them itself. A job that asks for a GPU gets one of its own where there are several.

    Parameters
    ----------
    job
        Snakemake's object ``snakemake``.
    has_checksums
        Whether what it makes has checksums within, so that it needs no digest.

    Raises
    ------
    InputError
        If a file has changed since it was made, or this job's run was killed and another has begun; and whatever
        ``main`` raises.
    """
    configure_logging(job.log[0])
    made = [file for file in job.output if Path(file).parts[0] == _COMPARED and not has_checksums]
    asks_for_gpu = job.resources.get("gpu", 0)
    with job_at_work(", for ".join([job.rule, *job.output[:1]])) as place, own_gpu(place if asks_for_gpu else None):
        for file in filter(Path.is_file, map(Path, job.input)):
            check_digest(file)
        for file in made:
            remove_digest(file)
        main(job)
        for file in filter(Path.is_file, map(Path, made)):
            write_digest(file)
        # Copies of files in object storage, which Snakemake has elsewhere.
        copies = [file for file in job.output if Path(file).parts[0] not in (_COMPARED, "results")]
        for folder in folders_of(copies):
            (folder / MANIFEST).unlink(missing_ok=True)  # it would miss the files that the next job does not fetch
