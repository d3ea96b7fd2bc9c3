#!/usr/bin/env bash
# How a job of a cluster stands, by its number: prints running, success or failed. Knows Slurm, Grid Engine and PBS.
# A job that the scheduler does not know any more counts as failed, and one of which it does not answer, as running.
set -uo pipefail

job=$1

slurm() {
    local state
    state=$(squeue --noheader --states=all --format=%T --jobs="$job" 2>&1)
    case $state in
        COMPLETED) echo success ;;
        PENDING | CONFIGURING | RUNNING | COMPLETING | SUSPENDED | REQUEUED | REQUEUE_HOLD | STAGE_OUT) echo running ;;
        '' | *'Invalid job id'* | [A-Z]*) echo failed ;;
        *) echo running ;; # squeue has no answer now
    esac
}

# Grid Engine lists what waits or runs, and counts what has ended.
grid_engine() {
    local listed
    listed=$(qstat -j "$job" 2>&1)
    if [[ $listed != *'do not exist'* ]]; then
        echo running
    elif qacct -j "$job" 2>/dev/null | grep -Eq '^exit_status +0( |$)'; then
        echo success
    else
        echo failed
    fi
}

pbs() {
    local listed
    listed=$(qstat -x -f "$job" 2>&1)
    if [[ $listed == *'Unknown Job'* ]]; then
        echo failed
    elif [[ $listed != *'job_state = '[FC]* ]]; then
        echo running
    elif grep -Eiq 'exit_status = 0$' <<<"$listed"; then
        echo success
    else
        echo failed
    fi
}

if command -v squeue >/dev/null; then
    slurm
elif command -v qacct >/dev/null; then
    grid_engine
else
    pbs
fi
