#!/usr/bin/env bash
# Snakemake does not see that two settings, or two inputs, have changed places.
#
# Version:   Snakemake 9.27.1
# Behavior:  To find out whether a job has to run again, the values of its params are compared as a set, without their names, and
#            its inputs as sorted paths. A result of 2 epochs and 6 layers passes for one of 6 epochs and 2 layers, and a joined
#            file keeps the old order. A value that is in no param yet is seen.
# Seen:      epochs=2 layers=6, then epochs=6 layers=2: "2 epochs, 6 layers"; then epochs=6 layers=7: "6 epochs, 7 layers"
#            first=a second=b, then first=b second=a: "a b"
#
# Exit status: 0 if seen again, 1 if the behavior has changed, 2 if the packages cannot be installed.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
{
    "${PYTHON:-python3}" -m venv "$folder/venv"
    "$folder/venv/bin/pip" install --quiet --disable-pip-version-check snakemake==9.27.1
} || exit 2
cd "$folder"
cat > Snakefile <<'SNAKEFILE'
rule train:
    output: "model.txt"
    params: epochs=config.get("epochs"), layers=config.get("layers")
    shell: "echo '{params.epochs} epochs, {params.layers} layers' > {output}"

rule join:
    input: config.get("first", []), config.get("second", [])
    output: "joined.txt"
    shell: "cat {input} > {output}"
SNAKEFILE
made() { venv/bin/snakemake "$1" --cores 1 --quiet all --config "${@:2}" >&2 && tr '\n' ' ' < "$1"; }
echo a > a.txt
echo b > b.txt
first=$(made model.txt epochs=2 layers=6)
swapped=$(made model.txt epochs=6 layers=2)
other=$(made model.txt epochs=6 layers=7)
joined=$(made joined.txt first=a.txt second=b.txt)
again=$(made joined.txt first=b.txt second=a.txt)
echo "epochs=2 layers=6: $first"
echo "epochs=6 layers=2: $swapped"
echo "epochs=6 layers=7: $other"
echo "first=a second=b: $joined"
echo "first=b second=a: $again"
[ "$swapped" = "2 epochs, 6 layers " ] && [ "$other" = "6 epochs, 7 layers " ] && [ "$again" = "a b " ]
