#!/bin/sh
# Trains on a machine that has a GPU, Python with JAX for it, and nothing else: no cargo, no
# internet. Everything it needs lies beside it, put there by pack.sh.
#
#   sh train.sh PLAN OUT [RUNS]
#
# PLAN has a line for each run: its name, its minutes, and the trainer's flags. A run that is in RUNS
# (default: runs) already is resumed; a new one starts from nets/NAME.safetensors where there is one.
# OUT gets NAME.tar.gz for each: settings, log, the best and the latest network, the checkpoints.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
plan=$1
out=$2
runs=${3:-runs}
python="${SKIRMISH_PYTHON:-python3}"
mkdir -p "$out" "$runs"
# A wheel is a zip: unpacking it needs no installer.
if [ ! -d "$here/site" ]; then
    "$python" -m zipfile -e "$here"/*.whl "$here/site"
fi
export PYTHONPATH="$here/site${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1
# Later runs of the same shape start without compiling.
export JAX_COMPILATION_CACHE_DIR="$here/compiled" JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0
commit=$(cat "$here/commit" 2>/dev/null || true)
failed=0
while read -r name minutes flags; do
    case "$name" in '' | '#'*) continue ;; esac
    how=''
    if [ -d "$runs/$name/checkpoints" ]; then
        how=--resume
    elif [ -f "$here/nets/$name.safetensors" ]; then
        how="--from $here/nets/$name.safetensors"
    fi
    echo "== $name: $minutes minutes $how"
    # Flags are words: the plan is written by the person who trains.
    # shellcheck disable=SC2086
    "$python" -m skirmish.zero.train --out "$runs/$name" --minutes "$minutes" \
        --commit "$commit" $how $flags < /dev/null || failed=1
    tar czf "$out/$name.tar.gz" -C "$runs/$name" \
        settings.json log.jsonl best.safetensors latest.safetensors checkpoints 2> /dev/null || failed=1
done < "$plan"
exit $failed
