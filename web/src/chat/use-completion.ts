/** What could stand at the cursor: a command at the start of the line, a path after `@`. */
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useState } from 'react'
import { files } from './controls.ts'
import type { SlashCommand } from './slash-commands.ts'
import { type Word, wordAt } from './word-at.ts'

type Suggestion = { readonly text: string; readonly help: string }

export type Completion = {
  readonly suggestions: readonly Suggestion[]
  readonly chosen: number
  readonly aria: Readonly<Record<string, string | boolean | undefined>>
  /** The cursor moved. */
  look(): void
  take(suggestion: Suggestion): void
  /** True when the key was meant for the list. */
  onKey(event: KeyboardEvent): boolean
}

type Parts = {
  readonly id: string
  readonly text: string
  readonly box: RefObject<HTMLTextAreaElement | null>
  readonly commands: readonly SlashCommand[]
  setText(text: string): void
}

const LOOK_MS = 80
export const LIST_ID = 'completions'

export function useCompletion({ id, text, box, commands, setText }: Parts): Completion {
  const [cursor, setCursor] = useState(0)
  const [suggestions, setSuggestions] = useState<readonly Suggestion[]>([])
  const [chosen, setChosen] = useState(0)
  const [closedAt, setClosedAt] = useState<string>()
  const word = closedAt === text ? undefined : wordAt(text, cursor)
  const look = useCallback(() => setCursor(box.current?.selectionStart ?? 0), [box])
  useEffect(look, [look, text])
  const { kind, query = '' } = word ?? {}
  useEffect(
    () =>
      suggest({ id, kind, query, commands }, (found) => {
        setSuggestions(found)
        setChosen(0)
      }),
    [id, kind, query, commands],
  )
  const take = (suggestion: Suggestion): void => {
    if (!word) return
    const next = `${text.slice(0, word.from)}${suggestion.text} ${text.slice(word.to)}`
    setText(next)
    setClosedAt(next)
    const at = word.from + suggestion.text.length + 1
    requestAnimationFrame(() => box.current?.setSelectionRange(at, at))
    box.current?.focus()
  }
  const shown = word ? suggestions : []
  const onKey = (event: KeyboardEvent): boolean => {
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isEnd = event.key === 'Tab' || (event.key === 'Enter' && !event.shiftKey)
    if (shown.length === 0 || (move === undefined && !isEnd && event.key !== 'Escape')) return false
    event.preventDefault()
    const current = shown[chosen]
    if (move !== undefined) setChosen((chosen + move + shown.length) % shown.length)
    else if (event.key === 'Escape') setClosedAt(text)
    else if (current) take(current)
    return true
  }
  const isOpen = shown.length > 0
  return { suggestions: shown, chosen, look, take, onKey, aria: ariaOf(isOpen, chosen) }
}

const ariaOf = (isOpen: boolean, chosen: number): Completion['aria'] => ({
  role: 'combobox',
  'aria-expanded': isOpen,
  'aria-autocomplete': 'list',
  'aria-controls': isOpen ? LIST_ID : undefined,
  'aria-activedescendant': isOpen ? `${LIST_ID}-${chosen}` : undefined,
})

type Asked = Pick<Parts, 'id' | 'commands'> & {
  readonly kind: Word['kind'] | undefined
  readonly query: string
}

/** Returns how to stop. */
function suggest(
  { id, kind, query, commands }: Asked,
  show: (found: readonly Suggestion[]) => void,
): () => void {
  if (kind !== 'file') {
    const found = commands.filter(({ name }) => kind === 'command' && name.startsWith(query))
    show(found.map(({ name, help }) => ({ text: `/${name}`, help })))
    return () => undefined
  }
  const stop = new AbortController()
  const timer = setTimeout(() => {
    files(id, query, stop.signal).then(
      (paths) => show(paths.map((path) => ({ text: `@${path}`, help: '' }))),
      () => undefined,
    )
  }, LOOK_MS)
  return () => {
    clearTimeout(timer)
    stop.abort()
  }
}
