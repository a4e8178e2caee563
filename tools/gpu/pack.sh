#!/bin/sh
# Packs what training on another machine needs into one folder: the wheel, the script that runs
# there, and the networks to start from. No internet is needed on the other side.
#
#   tools/gpu/pack.sh            → target/gpu/
#   copy target/gpu there, by whatever means that machine has
#   sh target/gpu/train.sh PLAN OUT
#
# Needs `maturin` (pip install maturin) and cargo here.
set -eu
cd "$(dirname "$0")/../.."
out=target/gpu
rm -rf "$out"
mkdir -p "$out/nets"
python="${SKIRMISH_PYTHON:-python3}"
(cd python && "$python" -m maturin build --release --out "../$out")
cp tools/gpu/train.sh tools/gpu/plan.txt "$out/"
cp nets/*.safetensors "$out/nets/" 2>/dev/null || true
git rev-parse --short=12 HEAD > "$out/commit"
du -sh "$out"
