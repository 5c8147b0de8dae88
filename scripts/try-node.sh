#!/usr/bin/env bash
# A smoke set on other versions of Node, whose binaries come from the registry: the built program with the model in the box, the
# database, the sandbox and a server, and a few test files.  bash scripts/try-node.sh 22 24
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tests=(test/cli/run.test.ts test/cli/engine.test.ts test/memory/store.test.ts test/server/openai/chat.test.ts)

for version in "$@"; do
  npm install --silent --no-audit --no-fund --no-save --prefix "$work/$version" "node@$version" ||
    { echo "node $version could not be installed; it is not tried"; continue; }
  node="$work/$version/node_modules/node/bin/node"
  mkdir -p "$work/home-$version/project"
  (
    cd "$work/home-$version/project"
    export HOME="$work/home-$version"
    echo 'hello' > greeting.txt
    covey() { "$node" "$root/dist/main.js" "$@"; }
    [ "$(covey --version)" = "$(cd "$root" && "$node" -p 'require("./package.json").version')" ]
    covey 'show me greeting.txt' | grep -q hello || { echo "node $version: the model in the box does not answer"; exit 1; }
    covey memory add 'The port is 8080' > /dev/null
    covey memory search port | grep -q 8080 || { echo "node $version: the memory does not work"; exit 1; }
    covey engine > /dev/null
  )
  (cd "$root" && PATH="$(dirname "$node"):$PATH" "$node" node_modules/vitest/vitest.mjs run "${tests[@]}")
  echo "$("$node" --version): works"
done
