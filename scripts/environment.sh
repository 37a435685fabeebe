#!/bin/sh
# Makes .venv with both packages (editable) and the extras of the goal: run, test or lint. Quick when nothing changed.
# The goal extras has a .venv-extras of its own, with weightmap and every optional package that can be had.
set -eu
cd "$(dirname "$0")/.."
goal=$1
venv=.venv
[ "$goal" != extras ] || venv=.venv-extras
stamp=$venv/.ready-for-$goal

# where PYTHONDONTWRITEBYTECODE is set, every start would compile both packages anew
compiled() { "$venv/bin/python" -m compileall -q app/tensorloupe loader/weightmap || true; }

# the stamp holds the folder: a checkout that was moved has a .venv that points to the old place
if [ -x "$venv/bin/python" ] && [ "$(cat "$stamp" 2>/dev/null)" = "$PWD" ] &&
    [ -z "$(find pyproject.toml loader/pyproject.toml scripts/environment.sh scripts/install_extras.py -newer "$stamp")" ]; then
    compiled
    exit 0
fi

recent() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

if ! { recent "$venv/bin/python" && { "$venv/bin/python" -m pip --version || "$venv/bin/python" -m ensurepip; }; } >/dev/null 2>&1; then
    python=
    for candidate in "${PYTHON:-python3}" python3.14 python3.13 python3.12 python3.11 python3 python; do
        if recent "$candidate"; then
            python=$candidate
            break
        fi
    done
    if [ -z "$python" ]; then
        echo "Python 3.11 or newer is needed, and none was found on the PATH: install one, or name it with PYTHON=/path/to/python3 make run." >&2
        exit 1
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        echo "Python's venv module is missing. Install it, then run make again: sudo apt-get install python$version-venv" >&2
        exit 1
    fi
    echo "Making $venv with $("$python" --version) ..."
    "$python" -m venv --clear "$venv"
fi

took="a minute or two"
[ "$goal" != extras ] || took="several minutes"
echo "Installing what 'make $goal' needs into $venv; the first time this takes $took ..."
case $goal in
extras) "$venv/bin/python" scripts/install_extras.py ;;
run) "$venv/bin/python" -m pip install -qq --disable-pip-version-check -e ./loader -e . ;;
*) "$venv/bin/python" -m pip install -qq --disable-pip-version-check -e ./loader -e ".[$goal]" ;;
esac
compiled
printf '%s\n' "$PWD" >"$stamp"
