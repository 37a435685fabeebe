#!/bin/sh
# Draws the README's pictures with the app's own screenshot command, so that they show what the window is, not what it was.
set -eu
cd "$(dirname "$0")/.."
sh scripts/environment.sh run
.venv/bin/python scripts/qt_libraries.py offscreen
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
.venv/bin/tensorloupe "$1" --tensor "${TENSOR:-blk.0.attn_q.weight}" --screenshot "$drawn"
mkdir -p assets
cp "$drawn/overview-light.png" assets/main-light.png
cp "$drawn/heatmap-dark.png" assets/heatmap-dark.png
echo "assets/main-light.png and assets/heatmap-dark.png are drawn anew."
