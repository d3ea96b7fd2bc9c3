"""Run the script of a rule with a log that ends with its usage, and on its own GPU if the job asks for a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bert_attention.errors import InputError
from bert_attention.running.gpus import own_gpu
from bert_attention.running.jobs import configure_logging, logger
from bert_attention.running.usage import Usage


def run_script(main: Callable[[Any], None], job: Any) -> None:
    """Run a rule's script on Snakemake's object ``snakemake``.

    The last line of the log has the job's usage. If the script raises an InputError, raise it with remedies for runs
    of the workflow.
    """
    configure_logging(job.log[0])
    with own_gpu(".snakemake" if job.resources.get("gpu", 0) else None):
        try:
            main(job)
        except InputError as error:
            raise error.for_workflow() from error.__cause__
        finally:
            logger.info(Usage.of_this_process(job.rule))
