#!/usr/bin/env bash
# Snakemake accepts settings of rules that do not exist.
#
# Version:   Snakemake 9.27.1
# Behavior:  --set-threads, --set-resources, --groups and --omit-from take any name of a rule; a misspelled one changes nothing,
#            without a message. --until and --forcerun refuse the same name.
# Seen:      four options with the rule "trian" instead of "train": status 0, no line names it; --until trian: MissingRuleException
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
    shell: "echo {threads} > {output}"
SNAKEFILE
run() { venv/bin/snakemake --cores 4 --dry-run "$@" 2>&1; }
accepted=0
for option in "--set-threads trian=4" "--set-resources trian:mem_mb=4000" "--groups trian=gpu" "--omit-from trian"; do
    if said=$(run $option) && ! grep -v Command: <<< "$said" | grep -q trian; then
        echo "accepted without a word: $option"
        accepted=$((accepted + 1))
    fi
done
refused=no
said=$(run --until trian) || refused=yes
echo "--until trian refused: $refused ($(grep -m 1 -o '[A-Za-z]*Exception' <<< "$said" || true))"
[ "$accepted" = 4 ] && [ "$refused" = yes ] || exit 1
