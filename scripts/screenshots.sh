#!/bin/sh
# Draws the pictures of README and guide with the app's own screenshot command: they show what the window is, not what it was.
set -eu
cd "$(dirname "$0")/.."
sh scripts/environment.sh run
.venv/bin/python scripts/qt_libraries.py offscreen
drawn=$(mktemp -d)
trap 'rm -rf "$drawn"' EXIT
sample=app/tensorloupe/sample
TENSORLOUPE_CONFIG=$drawn/config
export TENSORLOUPE_CONFIG

draw() { # into which folder, what to open
    folder=$1
    shift
    .venv/bin/tensorloupe "$@" --screenshot "$drawn/$folder"
}

keep() { # which picture, under which name
    cp "$drawn/$1.png" "assets/$2.png"
    echo "assets/$2.png"
}

mkdir -p assets "$drawn/downloads"
cp "$sample/minilm-sample.gguf" "$sample/minilm-sample.safetensors" "$drawn/downloads"
head -c 300000 "$sample/minilm-sample.gguf" >"$drawn/downloads/half-downloaded.gguf"

draw healthy "$1" --tensor "${TENSOR:-blk.0.attn_q.weight}"
keep healthy/overview-light main-light
keep healthy/heatmap-dark heatmap-dark
draw compared "$sample/minilm-sample.gguf" --reference "$sample/minilm-sample.safetensors" --tensor blk.1.ffn_down.weight
keep compared/blocks-light guide-blocks
keep compared/error-light guide-error
keep compared/whatif-light guide-whatif
keep compared/values-dark guide-values
draw damaged "$drawn/downloads/half-downloaded.gguf"
keep damaged/file-light guide-damaged
here=$PWD
(cd "$drawn" && "$here/.venv/bin/tensorloupe" downloads --screenshot "$drawn/many") # the list names the folder as it was given
keep many/sheet-light guide-validation
