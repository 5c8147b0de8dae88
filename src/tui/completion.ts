/** What Tab offers: commands after a slash, files after an at sign, names of arms and sessions after the commands that take them. */
import { type AutocompleteItem, type AutocompleteProvider, fuzzyFilter } from '@mariozechner/pi-tui'
import { oneLine } from './text.ts'

export type CompletionSources = {
  commands(): readonly { readonly name: string; readonly help: string }[]
  files(): Promise<readonly string[]>
  /** Arguments of a command. */
  values(command: string): Promise<readonly AutocompleteItem[]>
}

const MOST = 50

export function createCompletion(sources: CompletionSources): AutocompleteProvider {
  return {
    async getSuggestions(lines, cursorLine, cursorCol) {
      const before = (lines[cursorLine] ?? '').slice(0, cursorCol)
      const at = /(?:^|\s)(@[^\s]*)$/.exec(before)?.[1]
      if (at !== undefined) return found(at, await fileItems(at.slice(1), sources))
      const command = cursorLine === 0 ? /^\/([\w-]*)$/.exec(before) : null
      if (command) return found(before, commandItems(command[1] ?? '', sources))
      const argument = cursorLine === 0 ? /^\/([\w-]+) (\S*)$/.exec(before) : null
      if (!argument) return null
      const items = [...(await sources.values(argument[1] ?? ''))]
      return found(
        argument[2] ?? '',
        fuzzyFilter(items, argument[2] ?? '', ({ value }) => value).slice(0, MOST),
      )
    },
    // The order is the library's.
    applyCompletion(...[lines, cursorLine, cursorCol, item, prefix]) {
      const line = lines[cursorLine] ?? ''
      const head = line.slice(0, cursorCol - prefix.length)
      const text = prefix.startsWith('@') || prefix.startsWith('/') ? `${item.value} ` : item.value
      const done = [...lines]
      done[cursorLine] = head + text + line.slice(cursorCol)
      return { lines: done, cursorLine, cursorCol: head.length + text.length }
    },
    shouldTriggerFileCompletion: () => true,
  }
}

const found = (prefix: string, items: AutocompleteItem[]) => (items.length > 0 ? { prefix, items } : null)

function commandItems(query: string, { commands }: CompletionSources): AutocompleteItem[] {
  const matching = commands().filter(({ name }) => name.startsWith(query))
  const near = matching.length > 0 ? matching : fuzzyFilter([...commands()], query, ({ name }) => name)
  return near.map(({ name, help }) => ({ value: `/${name}`, label: `/${name}`, description: help }))
}

async function fileItems(query: string, { files }: CompletionSources): Promise<AutocompleteItem[]> {
  // A name that a terminal would obey cannot be typed either.
  const paths = (await files()).filter((path) => oneLine(path) === path)
  if (query === '') return toItems(paths.toSorted((a, b) => a.split('/').length - b.split('/').length))
  const near = fuzzyFilter(paths, query, (path) => path)
  if (near.length > 0) return toItems(near)
  const [, name = '', lines = ''] = /^(.+?)(:[\d-]*)$/.exec(query) ?? []
  // Nothing is left to complete: Enter sends.
  if (name === '' || paths.includes(name)) return []
  return toItems(
    fuzzyFilter(paths, name, (path) => path),
    lines,
  )
}

const toItems = (paths: readonly string[], lines = ''): AutocompleteItem[] =>
  paths.slice(0, MOST).map((path) => ({ value: `@${path}${lines}`, label: `${oneLine(path)}${lines}` }))
