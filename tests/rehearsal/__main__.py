"""Rehearse an edition by hand: ``python -m tests.rehearsal <folder> <edition> [target or option of Snakemake ...]``.

Snakemake runs in a copy of the project in ``<folder>``, which stays: another call goes on there. ``LAYERS`` is the
depth of the encoder, 2 unless set.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import REAL_DATA
from tests.rehearsal.hosts import Size
from tests.rehearsal.stage import stage

if __name__ == "__main__":
    folder, edition, *arguments = sys.argv[1:]
    size = Size(layers=int(os.environ.get("LAYERS", "2")))
    with stage(Path(folder), edition, lambda path: REAL_DATA / path, size) as environment:
        command = [sys.executable, "-m", "snakemake", *arguments, "--cores", "2"]
        command += ["--configfile", f"editions/{edition}.yaml"]
        sys.exit(subprocess.run(command, cwd=folder, env=os.environ | environment, check=False).returncode)
