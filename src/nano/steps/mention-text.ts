/** How a text speaks of a file: by its path, by its name, or without the ending, as an import does. Pure. */

/** The way this text speaks of it; nothing where it does not. */
export function mentionIn(text: string, path: string): string | undefined {
  const lines = text.split('\n')
  return [path, baseOf(path)].find((name) => lines.some((line) => says(line, name))) ?? importIn(lines, path)
}

/** "R/helpers.R" with "./helpers", "lib/format" and "format" where something is imported. */
function importIn(lines: readonly string[], path: string): string | undefined {
  return importNames(path).find((name) =>
    lines.some(
      (line) => says(line, name) && (IMPORTS.test(line) || (name.includes('/') && /["'`]/.test(line))),
    ),
  )
}

const IMPORTS = /\b(?:import|from|require|include|source|use|using|mod|load)\b/

/** Not as a part of another name. */
function says(line: string, name: string): boolean {
  const at = line.indexOf(name)
  return at >= 0 && !/[\w-]/.test(line[at - 1] ?? ' ') && !/^(?:\w|[.-]\w)/.test(line.slice(at + name.length))
}

/** What becomes of a mention of the one when it is the other; nothing where that cannot be told. */
export function renamedMention(mention: string, from: string, to: string): string | undefined {
  if (mention === from) return to
  if (mention === baseOf(from)) return baseOf(to)
  const at = importNames(from).indexOf(mention)
  const [one, other] = [from, to].map((path) => path.split('/').length)
  return one === other ? importNames(to)[at] : undefined
}

/** Without the ending: with all its folders first, then with fewer of them. */
function importNames(path: string): string[] {
  const parts = path.replace(/\.\w+$/, '').split('/')
  return parts.map((_, at) => parts.slice(at).join('/')).filter((name) => name.length > 3)
}

const baseOf = (path: string): string => path.replace(/\/+$/, '').split('/').at(-1) ?? ''
