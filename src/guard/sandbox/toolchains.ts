/**
 * What programs need of a home folder that otherwise does not exist in the sandbox: compilers, runtimes, package stores.
 * Names as data; nothing here may hold a credential, so a folder that mixes both is named by its harmless parts.
 */
import { realpathSync, statSync } from 'node:fs'
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path'
import { isInside } from '../../lib/path.ts'

/** `source` is where it really lies, `target` the name programs know it by. */
export type Bound = { readonly source: string; readonly target: string }

const IN_HOME =
  `.nvm .fnm .local/share/fnm .volta .n .nodenv .asdf .local/share/mise .mise .bun/bin .bun/install .deno/bin
  .pyenv .local/share/uv .local/share/pipx .local/pipx .local/share/pypoetry/venv .poetry .local/lib .local/bin bin
  miniconda3 anaconda3 miniforge3 mambaforge micromamba .conda/envs .conda/pkgs .virtualenvs .local/share/virtualenvs
  .rustup .cargo/bin .cargo/registry .cargo/git .cargo/env go/bin go/pkg/mod .go .goenv
  .m2/repository .m2/wrapper .gradle/caches .gradle/wrapper .gradle/jdks .sdkman/bin .sdkman/candidates .sdkman/libexec
  .jdks .jenv .jabba .rbenv .rvm .gem/ruby .local/share/gem .ghcup .cabal/bin .cabal/packages .cabal/store .opam
  .nuget/packages .dotnet .pub-cache/hosted .pub-cache/bin .local/share/pnpm .yarn/bin .npm-global .npm-packages
  .cache/ms-playwright .cache/puppeteer .nix-profile .local/state/nix`.split(/\s+/)

export function findToolchains(home: string): readonly Bound[] {
  const all = IN_HOME.flatMap((name) => toBound(join(home, name)))
  return all.filter(({ source }) => !isInside(source, home) && isDeepEnough(source))
}

function toBound(target: string): readonly Bound[] {
  const source = real(target)
  return source === undefined ? [] : [{ source, target }]
}

const real = (path: string): string | undefined => {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** Never a whole top-level folder. */
const isDeepEnough = (path: string): boolean =>
  dirname(dirname(path)) !== dirname(path) && dirname(path) !== '/'

export type SearchPath = {
  /** The same folders in the same order, each by its real name. */
  readonly path: string
  /** Folders programs on it need, beyond those of the system. */
  readonly bound: readonly string[]
}

type Surroundings = { readonly home: string; readonly isPresent: (path: string) => boolean }

/** Of a folder `bin` with libraries beside it, the whole installation. */
export function readSearchPath(path: string, { home, isPresent }: Surroundings): SearchPath {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder))
  const reals = [...new Set(folders.flatMap((folder) => real(folder) ?? []))].filter(isFolder)
  const bound = reals
    .filter((folder) => !isPresent(folder))
    .flatMap((folder) => {
      const prefix = dirname(folder)
      const isInstallation =
        basename(folder) === 'bin' &&
        ['lib', 'libexec', 'include'].some((name) => isFolder(join(prefix, name)))
      const kept = isInstallation && basename(prefix) !== '.local' ? prefix : folder
      return isInside(kept, home) || !isDeepEnough(kept) ? [] : [kept]
    })
  return { path: reals.join(delimiter), bound: [...new Set(bound)] }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
