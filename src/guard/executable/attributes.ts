/** The parts of small text formats that make some program run another. Each takes the text and returns what counts. */

/** Lines of `.gitattributes` that hand files to a driver other than those built into git and the one of git-lfs. */
export const attributeParts = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .flatMap((line) =>
      Array.from(line.matchAll(/(?:^|\s)(filter|diff|merge)=(\S+)/g)).flatMap(([, kind = '', driver = '']) =>
        BUILT_IN[kind]?.has(driver) ? [] : [`${line.split(/\s/, 1)[0]} ${kind}=${driver}`],
      ),
    )

const BUILT_IN: Readonly<Record<string, ReadonlySet<string>>> = {
  filter: new Set(['lfs']),
  merge: new Set(['text', 'binary', 'union', 'lfs']),
  diff: new Set(
    `lfs ada bash bibtex cpp csharp css dts elixir fortran fountain golang html ini java kotlin markdown matlab objc
    pascal perl php python r ruby rust scheme tex astextplain`.split(/\s+/),
  ),
}

/** Lines that Python runs at every start: `import` lines, save those that setuptools itself installs. */
export const pathFileParts = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => /^import[ \t]/.test(line) && !SETUPTOOLS.has(line.trim()))

const SETUPTOOLS: ReadonlySet<string> = new Set([
  "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'; enabled and __import__('_distutils_hack').add_shim();",
  "import os; var = 'SETUPTOOLS_USE_DISTUTILS'; enabled = os.environ.get(var, 'local') == 'local'; enabled and __import__('_distutils_hack').add_shim(); ",
  'import _virtualenv',
])

const linesWith = (text: string, pattern: RegExp): readonly string[] =>
  text.split('\n').filter((line) => pattern.test(line))

/** Templates, which can run commands, and folders in the place of a version: `nodejs path:./tools`. */
export const toolVersionParts = (text: string): readonly string[] =>
  linesWith(text, /\{\{|\{%|(?:^|\s)(?:path|ref|file|https?):|(?:^|[\s/])\.\.(?:\/|$)|(?:^|\s)[./~]*\//)

/** A folder in the place of a channel, however the key is written. */
export const rustToolchainParts = (text: string): readonly string[] => linesWith(text, /path|\\u/i)

/** Keys that name a program or what is loaded into one; the others list packages. */
export const pnpmParts = (text: string): readonly string[] =>
  linesWith(
    text,
    /pnpm-?file|script-?shell|shell-?emulator|node-?options|config-?dependencies|node-?version|mirror|\\[ux]/i,
  )

/** A fork or an address; a plain version comes from where all versions come from. */
export const bazelVersionParts = (text: string): readonly string[] => linesWith(text, /\//)

/** Commands that git runs when the rebase goes on. */
export const rebaseParts = (text: string): readonly string[] =>
  text.split('\n').filter((line) => /^\s*(?:exec|x)\s/.test(line))

/** A linked worktree's own folder leads back to the repository it lies in; anything else is another configuration. */
export const commonFolderParts = (text: string): readonly string[] =>
  text.trim() === '../..' ? [] : [`commondir ${text.trim()}`]
