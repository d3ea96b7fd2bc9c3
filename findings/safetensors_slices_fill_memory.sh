#!/usr/bin/env bash
# A program that reads a safetensors file in small slices ends with the whole file in its memory.
#
# Version:   safetensors 0.8.0, numpy 2.4.6, on Linux
# Behavior:  safe_open() maps the file, and each page that a slice has read counts as the program's memory until the object goes.
#            Schedulers and GNU time measure this. A cluster whose limit is below the size of the file can end the job, although the
#            kernel could take the pages back. Reading the same bytes from an open file takes the memory of one slice.
# Seen:      a file of 400 MB, in slices of 1 MB: 392 MB more resident memory, 1 MB after del, and 1 MB with reads.
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check safetensors==0.8.0 numpy==2.4.6
} || exit 2
cd "$folder"
venv/bin/python - <<'PYTHON'
import sys

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file

ROWS, MEGABYTE = 400, 1_000_000


def resident():
    """Return the resident memory in MB."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) / 1000


save_file({"maps": np.ones((ROWS, MEGABYTE // 2), np.float16)}, "maps.safetensors")
before = resident()
file = safe_open("maps.safetensors", framework="numpy")
maps = file.get_slice("maps")
total = sum(int(maps[row : row + 1].sum(dtype=np.int64)) for row in range(ROWS))
mapped = resident() - before
del maps, file
after = resident() - before
with open("maps.safetensors", "rb", buffering=0) as file:
    file.seek(8 + int.from_bytes(file.read(8), "little"))
    read = sum(int(np.fromfile(file, np.float16, MEGABYTE // 2).sum(dtype=np.int64)) for _ in range(ROWS))
plain = resident() - before
print(f"sums {total} and {read}; resident memory: {mapped:.0f} MB more with slices, {after:.0f} after del, {plain:.0f} with reads")
sys.exit(0 if total == read and mapped > 350 and after < 50 and plain < 50 else 1)
PYTHON
