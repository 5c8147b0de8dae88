#!/usr/bin/env bash
# Packs as `npm publish` would and installs the tarball as a stranger would: globally into an empty prefix, with a cold cache,
# by this machine's npm and by npm 10; starts it in an empty folder; weighs what every other platform would get.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
most_mb=120

tarball="$work/$(cd "$root" && npm pack --silent --pack-destination "$work" | tail -n 1)"

# install NAME NPM...: into an empty prefix, with an empty cache; says how large it is and how long it took
install() {
  local name=$1 started size
  shift
  started=$SECONDS
  "$@" install --silent --no-audit --no-fund --cache "$work/cache-$name" --global --prefix "$work/$name" "$tarball"
  size=$(du -sm "$work/$name" | cut -f1)
  echo "$name: $size MB in $((SECONDS - started)) s"
  [ "$size" -le $most_mb ] || { echo "that is more than $most_mb MB"; exit 1; }
}

npm install --silent --no-audit --no-fund --prefix "$work/npm10" npm@10
install newest npm
install by-npm-10 "$work/npm10/node_modules/.bin/npm"

# Not run here, only fetched: `os:cpu:libc`, and the packages it cannot do without.
for platform in linux:x64:glibc linux:arm64:glibc darwin:arm64: darwin:x64: win32:x64:; do
  IFS=: read -r os cpu libc <<< "$platform"
  folder="$work/$os-$cpu" && mkdir "$folder"
  npm install --silent --no-audit --no-fund --ignore-scripts --no-package-lock --cache "$work/cache-newest" \
    --prefix "$folder" --os="$os" --cpu="$cpu" ${libc:+--libc="$libc"} "$tarball"
  size=$(du -sm "$folder" | cut -f1)
  echo "$os $cpu: $size MB"
  [ "$size" -le $most_mb ] || { echo "that is more than $most_mb MB"; exit 1; }
  case $os in darwin) engine=mac ;; win32) engine=win ;; *) engine=$os ;; esac
  modules="$folder/node_modules"
  for needed in "$modules/@node-llama-cpp/$engine-$cpu"* "$modules/@libsql/$os-$cpu"* "$modules/@vscode/ripgrep-$os-$cpu"; do
    [ -d "$needed" ] || { echo "$os $cpu lacks ${needed#"$modules/"}"; exit 1; }
  done
done

mkdir "$work/empty" && cd "$work/empty"
export HOME="$work/home" XDG_CONFIG_HOME="$work/home/config" XDG_DATA_HOME="$work/home/data"
mkdir -p "$HOME"
covey="$work/by-npm-10/bin/covey"
"$covey" --version
covey="$work/newest/bin/covey"
printf '%s\n' '{"calls":[{"name":"list_files","input":{"path":"."}}]}' '{"text":"The folder is empty."}' > "$work/script.jsonl"
answer=$("$covey" --model "scripted:$work/script.jsonl" "What files are in this folder?")
[ "$answer" = "The folder is empty." ] || { echo "unexpected answer: $answer"; exit 1; }
"$covey" sessions
answer=$(npx --yes --cache "$work/cache-newest" --package "$tarball" covey --model "scripted:$work/script.jsonl" "Again?")
[ "$answer" = "The folder is empty." ] || { echo "unexpected answer by npx: $answer"; exit 1; }

echo 'hello' > greeting.txt
# Without a network where this machine can take it away.
alone=(unshare -n) && "${alone[@]}" true 2> /dev/null || alone=()
answer=$("${alone[@]}" "$covey" "show me greeting.txt")
case $answer in *hello*) ;; *) echo "unexpected answer of the model in the box: $answer"; exit 1 ;; esac
# What the bundle must find at run time: the database, certificates, grammars, the programs of other processes.
"$covey" memory add 'The port is 8080'
"$covey" memory search port | grep -q 8080 || { echo 'the memory does not work'; exit 1; }
"$covey" engine | grep -q '^in use   [a-z]' || { echo 'no engine computes'; exit 1; }
"$covey" peers ls | grep -q 'this machine is' || { echo 'this machine has no key'; exit 1; }
answer=$("$covey" --model "$work/newest/lib/node_modules/covey/models/covey-nano.gguf" "show me greeting.txt" 2>&1) || true
case $answer in *'cannot start'* | *'Cannot find'*) echo "a model file cannot be run: $answer"; exit 1 ;; esac
mkdir -p "$XDG_CONFIG_HOME/covey"
printf '[mcp.servers.own]\ncommand = "%s"\nargs = ["mcp", "serve"]\n' "$covey" > "$XDG_CONFIG_HOME/covey/config.toml"
"$covey" mcp test | grep -q mcp__own__read_file || { echo 'MCP does not work'; exit 1; }
echo 'the package works'
