"""Checks before the first job of a run, and its last lines."""

import atexit
import signal
import threading
import time

from bert_attention.errors import InputError
from bert_attention.running.forecast import prepare_forecast
from bert_attention.running.last_lines import errors_logged, results_made, warnings_logged
from bert_attention.running.preflight import check_sources, check_writable, warnings
from bert_attention.running.stages import stages_of_rules
from bert_attention.running.targets import misspelled

STARTED = time.time()


def say_last(text):
    """Print what a function returns to the terminal, after Snakemake's own last lines."""
    folder = os.getcwd()

    def print_in_folder():
        os.chdir(folder)
        print(text(), end="", file=sys.stderr)

    atexit.register(print_in_folder)  # at exit, the progress bar is gone and Snakemake's log is complete


def end_timers():
    """End the threads in which Snakemake waits to choose jobs again: its process would wait for them (profiles/default)."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()


def warn(form):
    """Print warnings about a run."""
    sys.stderr.writelines(map(form.format, warnings(edition, SOURCES_READ, USES_OF_TEXT)))


def say_what_is_missing(folder):
    """Print, if no run begins, the summary of a dry run or the nearest target, and the problems that would stop a run."""
    os.chdir(folder)
    missing = ""
    try:
        check_sources(edition, SOURCES_READ, USES_OF_TEXT)
    except InputError as error:
        missing = f"a run would stop before its first job:\n{error}"
    if FORECAST.of_dry_run:
        print("", *FORECAST.summary_of_dry_run(workflow.cores, missing), sep="\n", file=sys.stderr)
    else:  # Snakemake has not found out what to do
        for word, guess in misspelled(sys.argv[1:], RESULTS).items():
            print(f"\nThere is no target {word}. Did you mean {guess}? `make targets` lists them.", file=sys.stderr)
        if missing:
            print(f"\nMissing: {missing}", file=sys.stderr)
    warn("\nWARNING {}\n")


if workflow.is_main_process:
    # A closed terminal ends a run as Ctrl-C does, so that Snakemake frees its lock; under nohup the run goes on.
    if signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
        signal.signal(signal.SIGHUP, signal.default_int_handler)
    STAGES = stages_of_rules(ROOT / "workflow" / "rules")
    FORECAST = prepare_forecast(edition, STAGES, not workflow.storage_settings.default_storage_prefix)
    or_exit(check_writable, ["results", "resources", "logs", ".snakemake"])
    atexit.register(say_what_is_missing, os.getcwd())  # unless a run begins


onstart:
    atexit.unregister(say_what_is_missing)
    warn("WARNING {}\n")
    or_exit(check_sources, edition, SOURCES_READ, USES_OF_TEXT)


onsuccess:
    end_timers()
    storage = workflow.storage_settings.default_storage_prefix
    where = f"\nResults are in {storage}/results/{EDITION}/\n" if storage else ""
    say_last(lambda: results_made(PLAN, STARTED) + where + warnings_logged(STARTED))


onerror:
    end_timers()
    say_last(lambda: results_made(PLAN, STARTED) + errors_logged(STARTED, log) + warnings_logged(STARTED))
