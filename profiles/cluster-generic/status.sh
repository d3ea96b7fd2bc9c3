#!/usr/bin/env bash
# Prints the status of a cluster's job, given its number: running, success or failed. Supports Slurm, Grid Engine and PBS.
# A job that the scheduler no longer knows counts as failed. If the scheduler does not answer, the job counts as running.
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

# Grid Engine has qstat for waiting and running jobs, and qacct for finished ones.
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
