/** Two small programs that run in the sandbox beside git, so that it takes no stand-in for the file it stands for. */

/**
 * A clean filter: what git would store for a file. For one it knows as it is, just that; for one that was changed, the
 * same when git is about to store it, so that nothing is stored, and the stand-in when it only compares.
 */
export const FILTER = `#!/bin/sh
here="$PWD/$1"
known() { git cat-file blob ":$1" 2>/dev/null; }
is_in() { while IFS= read -r line; do [ "$line" = "$here" ] && return 0; done < "/run/covey/$1"; return 1; }
stores() {
  process=$PPID
  for step in 1 2 3; do
    words=$(tr '\\0' ' ' < "/proc/$process/cmdline")
    case $words in
      *git*' add '*|*git*' stage '*|*git*' stash '*|*git*' commit '*-a*|*git*' commit '*--all*) return 0 ;;
    esac
    process=$(cut -d ' ' -f 4 "/proc/$process/stat") || return 1
  done
  return 1
}
if is_in same; then known "$1" && exit 0; fi
if is_in changed && stores; then
  echo "note: $1 is hidden in the sandbox, so its changes are left out" >&2
  known "$1" && exit 0
fi
cat
`

/** Git itself, but \`git add\` passes over hidden files it does not know; asked for by name, it says why. */
export const WRAPPER = `#!/bin/sh
skip=
for word; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case $word in
    -C|-c|--git-dir|--work-tree|--namespace|--config-env) skip=1 ;;
    -*) ;;
    add|stage) exec /run/covey/bin/git -c core.excludesFile=/run/covey/ignored "$@" ;;
    *) break ;;
  esac
done
exec /run/covey/bin/git "$@"
`
