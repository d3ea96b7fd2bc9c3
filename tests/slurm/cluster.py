"""A Slurm cluster on this one machine, with simulated GPUs and memory.

    python tests/slurm/cluster.py folder

The program keeps the daemons' files in the folder, says "ready" when jobs can be submitted, and runs until its input
closes or it is interrupted. Then it ends all jobs and daemons. It needs Linux, root, and the packages

    apt-get install --no-install-recommends slurm-wlm munge

Slurm's jobs read the configuration only in /etc/slurm, so the program writes it there for the time of the run. It does
not touch the configuration of another cluster: it ends with a message, as it does if something is missing.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

INSTALLED_BY = "apt-get install --no-install-recommends slurm-wlm munge"
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
SETTINGS = Path("/etc/slurm")
MARK = "# Written by tests/slurm/cluster.py, which removes it when it ends.\n"
# Partitions, named as in the profiles.
MAIN, GPU = "main", "gpu"
START_SECONDS = 30
END_SECONDS = 15

_SLURM = """\
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
# No control groups, which need systemd. Memory is checked every second, and a job that takes too much is killed.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0
MpiDefault=none
ReturnToService=2
# Seconds for which squeue lists ended jobs.
MinJobAge=86400
GresTypes=gpu
# CPUs and memory are as written here, whatever the machine has.
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=4 RealMemory=64000 Gres=gpu:2 State=UNKNOWN
PartitionName={main} Nodes={host} Default=YES MaxTime=INFINITE State=UP
PartitionName={gpu} Nodes={host} MaxTime=INFINITE State=UP
"""
# A GPU is any device file.
_GPUS = """\
AutoDetect=off
NodeName={host} Name=gpu File=/dev/null
NodeName={host} Name=gpu File=/dev/zero
"""

_SET_PARENT_DEATH_SIGNAL = 1
_SET_CHILD_SUBREAPER = 36


class UnavailableError(Exception):
    """No cluster can be started here."""


def why_unavailable() -> str | None:
    """Return the reason why no cluster can be started on this machine, or None."""
    if not sys.platform.startswith("linux"):
        return "Slurm needs Linux"
    missing = [name for name in PROGRAMS if shutil.which(name, path=_search_path()) is None]
    if missing:
        return f"{', '.join(missing)} not found; {INSTALLED_BY} installs a Slurm"
    if os.geteuid() != 0:
        return "Slurm's daemons need root here"
    for name in ("slurm.conf", "gres.conf"):
        file = SETTINGS / name
        if file.exists() and not file.read_text(errors="replace").startswith(MARK):
            return f"{file} belongs to a cluster of this machine"
    return None


@contextmanager
def cluster(folder: Path) -> Iterator[None]:
    """Start the daemons, and end them and all jobs at the end; raise UnavailableError if they cannot be started."""
    reason = why_unavailable()
    if reason:
        raise UnavailableError(reason)
    folder = folder.resolve()
    host = socket.gethostname().partition(".")[0]
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    # This process adopts the processes that the daemons leave, so that it can end all of them.
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with ExitStack() as ending:
        ports = dict(zip(("controller_port", "daemon_port"), _free_ports(2), strict=True))
        slurm = _SLURM.format(host=host, folder=folder, **ports, main=MAIN, gpu=GPU)
        ending.enter_context(_settings_file("slurm.conf", slurm))
        ending.enter_context(_settings_file("gres.conf", _GPUS.format(host=host)))
        ending.callback(_end_descendants)
        _start_munge(folder)
        _start(["slurmctld", "-D", "-c"], folder / "slurmctld.out")
        _start(["slurmd", "-D", "-c", "-N", host], folder / "slurmd.out")
        _wait_until(_is_idle, f"Slurm was not ready after {START_SECONDS} s: see {folder}/*.log")
        ending.callback(_cancel_jobs)
        yield


@contextmanager
def _settings_file(name: str, text: str) -> Iterator[None]:
    """A locked file of settings, which is removed at the end."""
    file = SETTINGS / name
    SETTINGS.mkdir(exist_ok=True)
    with open(file, "a", encoding="utf-8") as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UnavailableError(f"{file} is in use by another run of this program") from None
        opened.truncate(0)
        opened.write(MARK + text)
        opened.flush()
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


def _start_munge(folder: Path) -> None:
    """Start our own munged, beside the machine's."""
    key = folder / "munge.key"
    key.touch(mode=0o600)
    key.write_bytes(secrets.token_bytes(128))
    socket_file = folder / "munge.socket"
    # --force, because munged requires a better protected folder.
    files = {"socket": socket_file, "key-file": key}
    files |= {f"{name}-file": folder / f"munged.{name}" for name in ("pid", "log", "seed")}
    options = [f"--{option}={file}" for option, file in files.items()]
    _start(["munged", "--foreground", "--force", *options], folder / "munged.out")
    _wait_until(socket_file.exists, f"munged did not start: see {folder}/munged.out")


def _start(command: list[str], log: Path) -> None:
    """Start a daemon that ends when this process does, however it ends."""
    with open(log, "wb") as output:
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=os.environ | {"PATH": _search_path()},
            preexec_fn=_end_with_parent,  # noqa: PLW1509 (this program has one thread)
        )


def _end_with_parent() -> None:
    ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, signal.SIGTERM, 0, 0, 0)


def _search_path() -> str:
    return os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])


def _free_ports(count: int) -> list[int]:
    with ExitStack() as opened:
        sockets = [opened.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def _answer(*command: str) -> str:
    """Return the output of a command of Slurm, or an empty text if it fails."""
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10)
    except subprocess.TimeoutExpired:
        return ""
    return run.stdout if run.returncode == 0 else ""


def _is_idle() -> bool:
    return _answer("sinfo", "-h", "-p", MAIN, "-o", "%T").split() == ["idle"]


def _wait_until(condition: Callable[[], bool], complaint: str) -> None:
    end = time.monotonic() + START_SECONDS
    while not condition():
        if time.monotonic() > end:
            raise UnavailableError(complaint)
        time.sleep(0.1)


def _cancel_jobs() -> None:
    _answer("scancel", "--full", "--user=root")
    end = time.monotonic() + END_SECONDS
    while _answer("squeue", "-h").strip() and time.monotonic() < end:
        time.sleep(0.2)


def _end_descendants() -> None:
    """End all processes that this process has started, directly or not; kill those that do not end when asked."""
    for sent, seconds in ((signal.SIGTERM, END_SECONDS), (signal.SIGKILL, END_SECONDS)):
        end = time.monotonic() + seconds
        while _children() and time.monotonic() < end:
            for process in _children():  # children of those that ended have come to this process
                with suppress(ProcessLookupError):
                    os.kill(process, sent)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            time.sleep(0.1)


def _children() -> list[int]:
    return [
        int(process)
        for task in Path("/proc/self/task").iterdir()
        for process in (task / "children").read_text().split()
    ]


def main(arguments: list[str]) -> int:
    """Run a cluster until this program's input closes or it is told to end."""
    if len(arguments) != 1:
        sys.exit(f"usage: python {sys.argv[0]} folder")

    def end(*_: object) -> None:
        sys.exit(0)

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    try:
        with cluster(Path(arguments[0])):
            print("ready", flush=True)
            while sys.stdin.readline():
                pass
    except UnavailableError as error:
        print(f"unavailable: {error}", flush=True)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
