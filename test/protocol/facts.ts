/** What the docs must name of each fact, read from a checkout: the real one, or a copy with a value planted. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Facts = {
  readonly modes: readonly string[]
  readonly reasons: readonly string[]
  readonly hooks: readonly string[]
  readonly exits: readonly number[]
}

/** `page: name` for every value that its page does not name. */
export function undocumented(root: string, { modes, reasons, hooks, exits }: Facts): readonly string[] {
  const pages: readonly (readonly [page: string, names: readonly string[]])[] = [
    ['docs/permissions.md', modes.map((mode) => `| \`${mode}\``)],
    ['docs/exit-codes.md', reasons.map((reason) => `\`${reason}\``)],
    ['docs/exit-codes.md', exits.map((code) => `\n| ${code} |`)],
    ['docs/hooks.md', hooks.map((event) => `\`${event}\``)],
  ]
  return pages.flatMap(([page, names]) => {
    const text = readFileSync(join(root, page), 'utf8')
    return names.filter((name) => !text.includes(name)).map((name) => `${page}: ${name.trim()}`)
  })
}
