#!/usr/bin/env bash
# Installs the packed tarball as a stranger would and starts it in an empty folder.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$root"
tarball=$(npm pack --silent --pack-destination "$work")
npm install --silent --no-audit --no-fund --prefix "$work/app" "$work/$tarball"
du -sh "$work/app" | cut -f1 | sed 's/^/installed size: /'

mkdir "$work/empty" && cd "$work/empty"
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/config" XDG_DATA_HOME="$work/home/data"
mkdir -p "$HOME"
covey="$work/app/node_modules/.bin/covey"
"$covey" --version
printf '%s\n' '{"calls":[{"name":"list_files","input":{"path":"."}}]}' '{"text":"The folder is empty."}' > "$work/script.jsonl"
answer=$("$covey" --model "scripted:$work/script.jsonl" "What files are in this folder?")
[ "$answer" = "The folder is empty." ] || { echo "unexpected answer: $answer"; exit 1; }
"$covey" sessions
echo 'the package works'
