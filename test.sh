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
# parts of the Rust toolchain that are missing where rustup can. A step that fails does not stop the
# others, except those that need what it makes; the last lines say which failed, and the exit status
# is 1.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

fail() { # MESSAGE HINT
    printf 'error: %s\nhint: %s\n' "$1" "$2" >&2
    exit 2
}

case "${1-}" in
    "" | fast) mode="${1:-all}" ;;
    -h | --help) sed -n '3,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]##*/}"; exit 0 ;;
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

# The steps that passed, and a line for the end about each of the others.
passed=" "
not_passed=()
failures=0
trap 'exit 130' INT

step() { # NAME NEEDS HINT COMMAND...
    local name="$1" needs="$2" hint="$3" needed started=$SECONDS status
    shift 3
    for needed in $needs; do
        if [[ $passed != *" $needed "* ]]; then
            printf '\n=== %s: skipped, because it needs what `%s` makes\n' "$name" "$needed"
            not_passed+=("skipped: $name, which needs $needed")
            return
        fi
    done
    printf '\n=== %s: %s\n' "$name" "$*"
    # A shell of its own, outside of any condition: within one, bash goes on after a failed command.
    set +e
    (set -e; "$@")
    status=$?
    set -e
    case $status in
        0)
            passed+="$name "
            printf '=== %s: passed in %d s\n' "$name" $((SECONDS - started))
            ;;
        "$skipped")
            not_passed+=("skipped: $name, for the reason above")
            ;;
        *)
            failures=$((failures + 1))
            printf '\nerror: %s failed after %d s\nhint: %s\n' "$name" $((SECONDS - started)) "$hint" >&2
            not_passed+=("failed: $name; hint: $hint")
            ;;
    esac
}
# The status of a command that cannot be run on this machine, which is no failure.
skipped=77

pip() {
    target/venv/bin/python -m pip install --quiet --disable-pip-version-check "$@"
}

# The package as its users get it: a wheel, installed with what training needs.
wheel() {
    local name python="" wheels=target/wheels
    for name in python3 python3.{14,13,12,11}; do
        if "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            python=$name
            break
        fi
    done
    if [[ -z $python ]]; then
        echo "error: Python 3.11 or newer is not installed" >&2
        return 1
    fi
    if ! target/venv/bin/python -m pip --version >/dev/null 2>&1; then
        "$python" -m venv --clear target/venv
    fi
    rm -rf "$wheels"
    pip maturin
    (cd python && ../target/venv/bin/maturin build --release --locked --quiet --out "../$wheels")
    pip --force-reinstall --no-deps "$wheels"/*.whl
    pip "$(ls "$wheels"/*.whl)[test]"
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
        return "$skipped"
    fi
    pip playwright
    target/venv/bin/pytest -q tests/browser
}

# A run of everything starts from nothing, or nearly so: without what only helps the next build or a
# debugger, and with large units of code, a crate takes about a fifth less of CPU time for each of the
# two. What the caller has set stays.
if [[ $mode == all ]]; then
    export CARGO_INCREMENTAL="${CARGO_INCREMENTAL-0}"
    export CARGO_PROFILE_DEV_DEBUG="${CARGO_PROFILE_DEV_DEBUG-0}"
    export CARGO_PROFILE_DEV_CODEGEN_UNITS="${CARGO_PROFILE_DEV_CODEGEN_UNITS-4}"
fi

step format "" "the same command without \`--check\` puts it right" \
    cargo fmt --all --check -- crates/rules/src/games/*/mod.rs
step clippy "" "every warning counts as an error here" \
    cargo clippy --workspace --all-targets --locked -- -D warnings
step tests "" "a failing random test prints its seed; an intended change of output is accepted with \`INSTA_UPDATE=always\`" \
    cargo test --workspace --locked --no-fail-fast

step "another game" "" "docs/add-a-game.md no longer leads to a game that works everywhere" \
    tests/fifth-game/check.py

if [[ $mode == all ]]; then
    step documentation "" "every public thing is documented, and every link leads somewhere" \
        env RUSTDOCFLAGS="${RUSTDOCFLAGS-} -D warnings" \
        cargo doc --workspace --no-deps --locked --document-private-items
    # The command and the Python package in one go: alone, each is built with other features of the
    # crates that both need, and those crates twice.
    export SKIRMISH="${CARGO_TARGET_DIR:-$PWD/target}/release/skirmish"
    step release "" "the release build must pass too" \
        cargo build --release --locked -p skirmish-cli -p skirmish-python
    step bench release "an answer has changed: is that intended?" \
        "$SKIRMISH" bench --quick
    shopt -s nullglob
    traces=(crates/play/tests/data/*.jsonl crates/play/tests/data/*.jsonl.gz crates/play/tests/data/*.perft.txt)
    shopt -u nullglob
    step verify release "a game played by another program goes differently here" \
        "$SKIRMISH" verify "${traces[@]}"
    step wheel "" "it needs Python 3.11 or newer with \`venv\`, which Debian has in python3-venv" \
        wheel
    # Not as a module: that would put the sources, which have no native half, before the wheel. Not
    # with `-q` either: `pyproject.toml` has it, and twice it hides the last line, which counts.
    step python wheel "the tests alone: \`target/venv/bin/pytest python/tests\`" \
        target/venv/bin/pytest python/tests
    step pages "release wheel" "the tests alone: \`target/venv/bin/pytest tests/browser\`" \
        pages
fi

printf '\n'
if ((${#not_passed[@]} > 0)); then
    printf '%s\n' "${not_passed[@]}"
fi
if ((failures > 0)); then
    printf '%d failed, in %d s\n' "$failures" "$SECONDS"
    exit 1
fi
printf 'all passed in %d s\n' "$SECONDS"
