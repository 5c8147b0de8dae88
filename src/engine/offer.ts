/**
 * Which tools a request shows. A list that changes between requests throws most of the prefix away, so in a small window
 * it is short and fixed for the whole session; everything else is found with `more_tools` and used with `call_tool`.
 */
import type { Lease } from '../protocol/arm.ts'
import type { Message } from '../protocol/message.ts'
import type { PromptOptions } from '../protocol/session-api.ts'
import { type Category, isCategory, type Tool } from '../protocol/tool.ts'
import { isObject, readJson } from '../lib/json.ts'
import { toToolSchema } from '../lib/schema.ts'
import { CALL_TOOL } from '../lib/inner-call.ts'
import { inForm, isShownIn } from '../lib/tool-form.ts'
import type { Offer } from './parts.ts'
import { SMALL_WINDOW } from '../protocol/token-limits.ts'

export type ToolMode = 'auto' | 'two-stage' | 'all'

const CORE = ['list_files', 'read_file', 'search_text', 'edit_file', 'write_file', 'run_command']
const FINDERS = ['more_tools', CALL_TOOL]
const SELECTOR = 'select_category'

export type OfferInput = {
  readonly mode: ToolMode
  readonly tools: readonly Tool[]
  readonly options: PromptOptions
  /** The category a small model expects to be needed; a wrong guess costs one switch. */
  readonly guessed?: string
}

export function offerTools(
  { mode, tools, options, guessed }: OfferInput,
  lease: Lease,
  added: readonly Message[],
): Offer {
  const { window, requiredChoice, editForm } = lease.arm.capabilities
  const usable = tools
    .filter((tool) => isAllowed(tool.name, options) && isShownIn(tool, editForm))
    .map((tool) => inForm(tool, editForm))
  if (mode === 'two-stage') {
    const chosen = chosenCategories(added)
    if (guessed !== undefined && isCategory(guessed)) chosen.add(guessed)
    // A category that does not exist is no choice; `answer` and any other good result are one.
    const isOpen = chosen.size === 0 && !added.some((message) => message.role === 'tool' && message.ok)
    const offer = offerByCategory(usable, chosen)
    return isOpen && requiredChoice ? { ...offer, choice: 'required' } : offer
  }
  const isSmall = mode === 'auto' && window <= SMALL_WINDOW && !options.allowedTools
  const shown = isSmall
    ? [...CORE, ...FINDERS].flatMap((name) => usable.find((tool) => tool.name === name) ?? [])
    : shownAtOnce(usable)
  return { tools: shown.map(toToolSchema) }
}

/** What may come and go while a session lasts is found, not shown. */
function shownAtOnce(usable: readonly Tool[]): readonly Tool[] {
  const hasDeferred = usable.some(({ deferred }) => deferred)
  return usable.filter(
    ({ name, deferred }) => !deferred && name !== SELECTOR && (hasDeferred || !FINDERS.includes(name)),
  )
}

/** `allowedPaths` switches the shell off: a command's paths cannot be known. */
export const isAllowed = (
  name: string,
  { allowedTools, deniedTools, allowedPaths }: PromptOptions,
): boolean =>
  (!allowedTools || allowedTools.includes(name)) &&
  !deniedTools?.includes(name) &&
  !(allowedPaths && UNBOUND.has(name))

/** Where they reach cannot be known from their arguments. */
const UNBOUND = new Set(['run_command', 'python', 'javascript'])

/** The strict form: first only the selector, then the tools of the categories chosen in this run. */
function offerByCategory(tools: readonly Tool[], chosen: ReadonlySet<Category>): Offer {
  const selector = tools.filter(({ name }) => name === SELECTOR)
  const shown = shownAtOnce(
    tools.filter(({ name, category }) => chosen.has(category) || FINDERS.includes(name)),
  )
  return { tools: [...selector, ...shown].map(toToolSchema) }
}

function chosenCategories(added: readonly Message[]): Set<Category> {
  const good = new Set(
    added.flatMap((message) => (message.role === 'tool' && message.ok ? [message.callId] : [])),
  )
  const calls = added.flatMap((message) => (message.role === 'assistant' ? message.calls : []))
  const categories = calls
    .filter(({ id, name }) => name === SELECTOR && good.has(id))
    .map(({ input }) => categoryOf(input))
  return new Set(categories.filter((category) => category !== undefined))
}

function categoryOf(input: string): Category | undefined {
  const reading = readJson(input)
  const category = reading.ok && isObject(reading.value) ? reading.value['category'] : undefined
  return typeof category === 'string' && isCategory(category) ? category : undefined
}
