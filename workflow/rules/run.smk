"""What happens around the jobs of a run: checks before the first, what the terminal says, and how a run ends."""

import atexit
import logging
import time

from bert_attention.errors import InputError
from bert_attention.running.failures import Failures
from bert_attention.running.last_lines import results_left, results_made
from bert_attention.running.leftovers import begin_run, clear_leftovers, end_on_hangup
from bert_attention.running.preflight import check_needs, check_writable, needs_of
from bert_attention.running.terminal import show_progress_bar

STARTED = time.time()
RUNNING = []

SNAKEMAKE_LOGGER = logging.getLogger("snakemake.logging")
FAILURES = Failures()


def check_all_needs():
    """Check that what the planned jobs need is within reach."""
    check_needs(
        needs_of(workflow.dag.needrun_jobs(exclude_finished=False)), EDITION, config["device"], workflow.local_exec
    )


def say_what_is_missing(folder):
    """Say at the end of a dry run in a folder at what a run would stop."""
    os.chdir(folder)
    try:
        check_all_needs()
    except InputError as error:
        print(f"\nA run would stop before its first job:\n{error}", file=sys.stderr)


if workflow.is_main_process:
    end_on_hangup()
    or_exit(check_writable, ["results", "resources", "logs", ".snakemake"])
    SNAKEMAKE_LOGGER.addHandler(FAILURES)
    # After all that Snakemake and the progress bar still say.
    atexit.register(lambda: print(FAILURES.last_lines, end="", file=sys.stderr))
    if workflow.output_settings.dryrun:
        atexit.register(say_what_is_missing, os.getcwd())
    elif not workflow.output_settings.verbose:  # which asks for Snakemake's own lines on a terminal
        show_progress_bar(SNAKEMAKE_LOGGER, Path("logs", EDITION, "benchmarks"))


onstart:
    CODEBASE.remember()
    # Open as long as this process lives.
    RUNNING.append(or_exit(begin_run, ".snakemake/at_work"))
    for leftover in clear_leftovers(["resources", "results"]):
        print(f"removed {leftover}, which a killed run had begun", file=sys.stderr)
    or_exit(check_all_needs)
    # Whoever sets no limit has 100 jobs a second, for which Snakemake looks at all jobs once more a second after each
    # look: ever more often as jobs end, until half a core does nothing else.
    if workflow.scheduling_settings.max_jobs_per_timespan.max_jobs == 100:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    print(results_made(FILES, STARTED), results_left(FILES), sep="", end="", file=sys.stderr)
    if workflow.storage_settings.default_storage_prefix:
        print(
            f"\nResults are in {workflow.storage_settings.default_storage_prefix}/results/{EDITION}/",
            file=sys.stderr,
        )


onerror:
    # Only now is a failure final: a job may be tried again.
    FAILURES.end_run()
