#!/usr/bin/env bash
# Installs the packed tarball as a stranger would, globally into an empty prefix, and starts it in an empty folder.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

tarball=$(node "$root/scripts/pack.mjs" "$work")
npm install --silent --no-audit --no-fund --global --prefix "$work/prefix" "$tarball"
size=$(du -sm "$work/prefix" | cut -f1)
echo "installed size: $size MB"
[ "$size" -le 120 ] || { echo 'that is more than 120 MB'; exit 1; }

mkdir "$work/empty" && cd "$work/empty"
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/config" XDG_DATA_HOME="$work/home/data"
mkdir -p "$HOME"
covey="$work/prefix/bin/covey"
"$covey" --version
printf '%s\n' '{"calls":[{"name":"list_files","input":{"path":"."}}]}' '{"text":"The folder is empty."}' > "$work/script.jsonl"
answer=$("$covey" --model "scripted:$work/script.jsonl" "What files are in this folder?")
[ "$answer" = "The folder is empty." ] || { echo "unexpected answer: $answer"; exit 1; }
"$covey" sessions

echo 'hello' > greeting.txt
answer=$("$covey" "show me greeting.txt")
case $answer in *hello*) ;; *) echo "unexpected answer of the model in the box: $answer"; exit 1 ;; esac
# What is left out of the package must not be missed: the database, certificates, the other protocol's library.
"$covey" memory add 'The port is 8080'
"$covey" memory search port | grep -q 8080 || { echo 'the memory does not work'; exit 1; }
"$covey" peers ls | grep -q 'this machine is' || { echo 'this machine has no key'; exit 1; }
mkdir -p "$XDG_CONFIG_HOME/covey"
printf '[mcp.servers.own]\ncommand = "%s"\nargs = ["mcp", "serve"]\n' "$covey" > "$XDG_CONFIG_HOME/covey/config.toml"
"$covey" mcp test | grep -q mcp__own__read_file || { echo 'MCP does not work'; exit 1; }
echo 'the package works'
