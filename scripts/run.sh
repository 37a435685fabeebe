#!/bin/sh
# Opens a model in the window; where there is no display, draws the views into screenshots/ and prints a summary.
set -eu
cd "$(dirname "$0")/.."
model=$1
sh scripts/environment.sh run

display() {
    case "${QT_QPA_PLATFORM:-}" in
    offscreen* | minimal*) return 1 ;;
    esac
    [ "$(uname -s)" != Linux ] || [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}${QT_QPA_PLATFORM:-}" ]
}

if display; then
    status=0
    .venv/bin/python scripts/qt_libraries.py window || status=$?
    case $status in
    0) exec .venv/bin/tensorloupe "$model" ;;
    3) ;; # a display is named but does not answer
    *) exit "$status" ;;
    esac
fi

echo "There is no display here: drawing the views offscreen instead."
.venv/bin/python scripts/qt_libraries.py offscreen
.venv/bin/tensorloupe "$model" --screenshot screenshots
.venv/bin/weightmap info "$model"
echo
echo "The pictures are in $PWD/screenshots:"
ls screenshots
