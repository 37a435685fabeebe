#!/bin/sh
# Draws the README's pictures with the app's own screenshot command, so that they show what the window is, not what it was.
set -eu
cd "$(dirname "$0")/.."
sh scripts/environment.sh run
.venv/bin/python scripts/qt_libraries.py offscreen
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
.venv/bin/tensorloupe "$1" --tensor "${TENSOR:-blk.0.attn_q.weight}" --screenshot "$drawn"
sample=app/tensorloupe/sample/minilm-sample
.venv/bin/tensorloupe "$sample.gguf" --reference "$sample.safetensors" --tensor blk.1.ffn_up.weight --screenshot "$drawn/compared"
mkdir -p assets
cp "$drawn/overview-light.png" assets/main-light.png
cp "$drawn/heatmap-dark.png" assets/heatmap-dark.png
cp "$drawn/compared/error-light.png" assets/error-light.png
echo "assets/main-light.png, heatmap-dark.png and error-light.png are drawn anew."
