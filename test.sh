#!/usr/bin/env bash
#
# Everything that must hold before a change is merged, in the order it fails fastest:
# format, clippy, tests, documentation, the release binary checked against itself, the Python package
# in an environment of its own (target/venv), and the pages in a browser.
#
#   ./test.sh         all of it
#   ./test.sh fast    without the documentation, the release binary and Python
#
# Works from a fresh clone and from any folder; needs cargo and Python 3.11 or newer, and adds the
# parts of the Rust toolchain that are missing where rustup can. Stops at the first failure.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fail() { # MESSAGE HINT
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 2
}

case "${1-}" in
    "" | fast) mode="${1:-all}" ;;
    -h | --help) sed -n '3,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]##*/}"; exit 0 ;;
    *) fail "unknown argument \`$1\`" "\`./test.sh\` runs everything, \`./test.sh fast\` the quick part" ;;
esac

# rustup's installer changes the PATH of new shells only.
if ! command -v cargo >/dev/null && [[ -x "${CARGO_HOME:-$HOME/.cargo}/bin/cargo" ]]; then
    PATH="${CARGO_HOME:-$HOME/.cargo}/bin:$PATH"
fi
command -v cargo >/dev/null ||
    fail "cargo is not installed" "install Rust from https://rustup.rs, then run this again"

for part in rustfmt clippy; do
    command=$([[ $part == clippy ]] && echo cargo-clippy || echo cargo-fmt)
    if "$command" --version >/dev/null 2>&1; then continue; fi
    command -v rustup >/dev/null ||
        fail "$part is not installed" "install it as you installed cargo, or take Rust from https://rustup.rs"
    echo "installing $part"
    rustup component add "$part"
done

step() { # NAME HINT COMMAND...
    local name="$1" hint="$2" started=$SECONDS status=0
    shift 2
    printf '\n=== %s: %s\n' "$name" "$*"
    "$@" || status=$?
    if ((status != 0)); then
        printf '\nerror: %s failed after %d s\nhint: %s\n' "$name" $((SECONDS - started)) "$hint" >&2
        exit 1
    fi
    printf '=== %s: passed in %d s\n' "$name" $((SECONDS - started))
}

# The package as its users get it: a wheel, installed with what training needs.
python_package() {
    local venv=target/venv wheels=target/wheels
    if [[ ! -x $venv/bin/python ]]; then
        "$python" -m venv "$venv"
    fi
    rm -rf "$wheels"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check maturin
    (cd python && "../$venv/bin/maturin" build --release --locked --quiet --out "../$wheels")
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheels"/*.whl
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$(ls "$wheels"/*.whl)[test]"
    # Not as a module: that would put the sources, which have no native half, before the wheel.
    "$venv/bin/pytest" -q python/tests
}

# A browser that starts: some machines have one that cannot.
browser() {
    local name
    for name in "${SKIRMISH_BROWSER:-chromium}" chromium-browser google-chrome; do
        command -v "$name" >/dev/null || continue
        timeout 120 "$name" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
            --dump-dom about:blank 2>/dev/null | grep -q '<html>' && return 0
    done
    return 1
}

# Pages as their readers see them. A browser is installed where that can be done without asking.
pages() {
    if ! browser && [[ $EUID == 0 ]] && command -v apt-get >/dev/null; then
        timeout 300 apt-get -qq update || true
        DEBIAN_FRONTEND=noninteractive timeout 600 \
            apt-get -qq install --no-install-recommends chromium >/dev/null || true
    fi
    if ! browser; then
        echo "skipped: no browser starts here; \`apt-get install chromium\` or set SKIRMISH_BROWSER"
        return 0
    fi
    target/venv/bin/python -m pip install --quiet --disable-pip-version-check playwright
    target/venv/bin/pytest -q tests/browser
}

step format "the same command without \`--check\` puts it right" \
    cargo fmt --all --check -- crates/rules/src/games/*/mod.rs
step clippy "every warning counts as an error here" \
    cargo clippy --workspace --all-targets --locked -- -D warnings
step tests "a failing random test prints its seed; an intended change of output is accepted with \`INSTA_UPDATE=always\`" \
    cargo test --workspace --locked

if [[ $mode == all ]]; then
    step documentation "every public thing is documented, and every link leads somewhere" \
        env RUSTDOCFLAGS="${RUSTDOCFLAGS-} -D warnings" \
        cargo doc --workspace --no-deps --locked --document-private-items
    step release "the release build must pass too" \
        cargo build --release --locked
    step bench "an answer has changed: is that intended?" \
        cargo run --release --locked --quiet -- bench --quick
    shopt -s nullglob
    traces=(crates/play/tests/data/*.jsonl crates/play/tests/data/*.jsonl.gz crates/play/tests/data/*.perft.txt)
    if ((${#traces[@]} > 0)); then
        step verify "a game played by another program goes differently here" \
            cargo run --release --locked --quiet -- verify "${traces[@]}"
    fi
fi

if [[ $mode == all ]]; then
    python=python3
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        fail "Python 3.11 or newer is not installed" "install python3 and python3-venv, then run this again"
    step python "the tests alone: \`target/venv/bin/pytest python/tests\`" \
        python_package
    step pages "the tests alone: \`target/venv/bin/pytest tests/browser\`" \
        pages
fi

printf '\nall passed in %d s\n' "$SECONDS"
