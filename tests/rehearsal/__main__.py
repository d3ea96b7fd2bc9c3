"""Rehearse an edition by hand: ``python -m tests.rehearsal <folder> <edition> [target or option of Snakemake ...]``.

Snakemake runs in a copy of the project in ``<folder>``, which stays: another call goes on there. ``LAYERS`` and
``WIDTH`` are those of the encoder, 12 and 96 unless set (bert-base: 12 and 768).
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.real_data import folder_of_real_data
from tests.rehearsal.hosts import Size
from tests.rehearsal.stage import stage

if __name__ == "__main__":
    folder, edition, *arguments = Path(sys.argv[1]), *sys.argv[2:]
    folder.mkdir(parents=True, exist_ok=True)
    size = Size(layers=int(os.environ.get("LAYERS", "12")), width=int(os.environ.get("WIDTH", "96")))
    with stage(folder, lambda path: folder_of_real_data() / path, size) as here:
        here.checkout(folder)
        command = [sys.executable, "-m", "snakemake", *arguments, "--cores", "2"]
        command += ["--configfile", f"editions/{edition}.yaml"]
        environment = os.environ | here.environment(folder)
        sys.exit(subprocess.run(command, cwd=folder, env=environment, check=False).returncode)
