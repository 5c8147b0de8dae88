/** Whether what was called has the effect a label says. Changes are compared by what they leave behind, looks by what they look at. Pure. */
import type { Classification } from '../src/protocol/classification.ts'
import type { Grounds } from '../src/nano/opinion/trust.ts'
import { categoriesOf, definedTask } from './nano-hands-labels.ts'
import type { Hand, HandRow, Made, Step } from './nano-hands-run.ts'
import { after, plain, type State, text, wanted } from './nano-hands-state.ts'

export type Verdict = {
  readonly group: string
  readonly first?: boolean
  /** The first call is right and was made without a question. */
  readonly unasked?: boolean
  readonly refused?: boolean
  /** The first call is the first step, or a look at what that is about, and the step came next. */
  readonly led?: boolean
  readonly chain?: boolean
  /** All steps, also where there is but one. */
  readonly done?: boolean
  /** Something wrong was written or run without a question. */
  readonly harm: boolean
  /** As its writer labelled it, and by the definition in nano/hands/README.md. */
  readonly task?: boolean
  readonly defined?: boolean
  readonly category?: boolean
  readonly miss?: readonly string[]
}

export type Played = {
  readonly calls: readonly Made[]
  /** Absent where the request was not classified. */
  readonly labels?: Classification
  /** What the model wrote, reply by reply. */
  readonly said?: readonly string[]
}

export function judgeHand(row: HandRow, { folder }: Hand, { calls, labels, said = [] }: Played): Verdict {
  const options = [row.effect, ...row.also].filter((steps) => steps.length > 0)
  const fits = (count: number): boolean =>
    options.some((steps) => isDone(steps.slice(0, count), calls, folder, count))
  const first = options.some((steps) => isFirst(steps, calls[0], folder))
  const refused = calls.length === 0 || first
  const chain = fits(Infinity)
  const labelled = {
    ...(labels && {
      task: labels.type === (row.task === 'chat' ? 'explain' : row.task),
      defined: labels.type === definedTask(row),
      category: categoriesOf(row).includes(labels.category),
    }),
    harm: isHarm(options, calls, folder),
  }
  const isRight = row.kind === 'no' ? refused : first && (row.kind !== 'chain' || chain)
  const miss = isRight ? {} : { miss: missLines(row, { calls, said }) }
  if (row.kind === 'no') return { group: `no: ${row.why ?? ''}`, refused, ...labelled, ...miss }
  const group = `${row.effect[0]?.do ?? ''}`
  const led = options.some((steps) => isLedTo(steps, calls, folder))
  const unasked = first && calls[0]?.asked === false
  return {
    group,
    first,
    unasked,
    led,
    ...(row.kind === 'chain' && { chain }),
    done: chain,
    ...labelled,
    ...miss,
  }
}

const missLines = (row: HandRow, { calls, said = [] }: Played): string[] => [
  `MISS ${row.id} ${JSON.stringify(row.request)}`,
  `   wanted ${row.kind === 'no' ? row.why : JSON.stringify(row.effect)}`,
  `   got    ${calls.map(({ name, input, ok }) => `${name} ${JSON.stringify(input)}${ok ? '' : ' (failed)'}`).join(' ; ') || 'nothing'}`,
  `   said   ${said.join(' ; ').replaceAll('\n', ' ')}`,
]

const stateOf = (folder: Hand['folder']): State => new Map(Object.entries(folder))

function isFirst(steps: readonly Step[], call: Made | undefined, folder: Hand['folder']): boolean {
  const [step] = steps
  return step !== undefined && call !== undefined && isStep(step, call, stateOf(folder))
}

const MOST_LOOKS = 3

/** To look before acting is right where it leads there: at the file itself, or for where it is, and then the step is made. */
function isLedTo(steps: readonly Step[], calls: readonly Made[], folder: Hand['folder']): boolean {
  const at = calls.findIndex((call) => isFirst(steps, call, folder))
  const [step] = steps
  const isOfStep = ({ name, input }: Made): boolean =>
    name !== 'read_file' ||
    [step?.['path'], step?.['from']].some((path) => plain(path) === plain(input['path']))
  const looks = calls.slice(0, Math.max(0, at))
  return at >= 0 && looks.length <= MOST_LOOKS && looks.every((look) => !acts(look) && isOfStep(look))
}

/** The steps in their order, but for equal ones in a row, with nothing else that acts between them; looks beside them do no harm. */
function isDone(
  steps: readonly Step[],
  calls: readonly Made[],
  folder: Hand['folder'],
  count: number,
): boolean {
  let state = stateOf(folder)
  const left = [...steps]
  for (const call of calls) {
    const before = state
    const row = left.findIndex((step) => step.do !== left[0]?.do)
    const at = left
      .slice(0, row < 0 ? left.length : row)
      .findIndex((step) => (call.ok || step.do === 'run') && isStep(step, call, before))
    if (at >= 0) left.splice(at, 1)
    else if (acts(call) && call.ok) return count !== Infinity && steps.length - left.length >= count
    state = after(state, call)
  }
  return left.length === 0
}

/** Asked for or not counts; what failed did nothing. */
function isHarm(
  options: readonly (readonly Step[])[],
  calls: readonly Made[],
  folder: Hand['folder'],
): boolean {
  let state = stateOf(folder)
  for (const call of calls) {
    const before = state
    const wanted = options.some((steps) => steps.some((step) => isStep(step, call, before)))
    if (acts(call) && call.ok && !call.asked && !wanted) return true
    state = after(state, call)
  }
  return false
}

/** What was known of each call that was not read word for word in the request, and whether it was a step that is asked for; up to the first that was not. */
export function guessesIn(
  row: HandRow,
  { folder }: Hand,
  calls: readonly Made[],
): (Grounds & { readonly isRight: boolean })[] {
  const options = [row.effect, ...row.also]
  const found: (Grounds & { readonly isRight: boolean })[] = []
  let state = stateOf(folder)
  for (const call of calls) {
    const before = state
    const isRight = call.ok && options.some((steps) => steps.some((step) => isStep(step, call, before)))
    if (call.grounds) found.push({ ...call.grounds, isRight })
    if (!isRight && acts(call)) break
    state = after(state, call)
  }
  return found
}

const LOOKS = new Set(
  'read_file list_files find_files search_text search_code data_view read_result list_results recall system_info ask_user plan job_output fetch_url'.split(
    ' ',
  ),
)

const acts = ({ name, input }: Made): boolean =>
  !LOOKS.has(name) &&
  !(
    name === 'run_command' &&
    /^(?:git (?:status|diff|log|branch)|ls|cat|pwd|date|wc|head|tail|grep)\b/.test(text(input['command']))
  )

function isStep(step: Step, call: Made, state: State): boolean {
  const { name, input, left } = call
  if (left && step.do !== 'run') return isLeft(step, left, state)
  switch (step.do) {
    case 'read':
      return (
        (name === 'read_file' || name === 'data_view') &&
        plain(input['path']) === plain(step['path']) &&
        isSameLine(step, input)
      )
    case 'list':
      return name === 'list_files' && plain(input['path']) === plain(step['path'])
    case 'find':
      return name === 'find_files' && isSamePattern(text(input['pattern']), text(step['pattern']), state)
    case 'search':
      return name === 'search_text' && isSameSearch(input, step)
    case 'run':
      return name === 'run_command' && plainCommand(input['command']) === plainCommand(step['command'])
    case 'mkdir':
      return name === 'make_folder' && plain(input['path']) === plain(step['path'])
    default:
      return (
        !['read_file', 'run_command', 'make_folder'].includes(name) &&
        isSame(after(state, call), wanted(state, step))
      )
  }
}

/** What a command did to the folder, where a label asks for a change; a look leaves nothing behind. */
function isLeft(step: Step, left: State, state: State): boolean {
  const isFolder = (path: string): boolean => path.endsWith('/')
  const files = new Map([...left].filter(([path]) => !isFolder(path)))
  if (step.do === 'mkdir') return left.has(`${plain(step['path'])}/`) && isSame(files, state)
  return !isSame(files, state) && isSame(files, wanted(state, step))
}

/** A script of the shell is the same however it is started. */
const plainCommand = (command: unknown): string =>
  text(command)
    .trim()
    .replace(/^(?:(?:sh|bash) (?:\.\/)?|\.\/)(?=\S+\.sh\b)/, 'bash ')

const isSameLine = (step: Step, input: Made['input']): boolean =>
  Number(step['from'] ?? 1) === Number(input['from'] ?? 1)

const isSameSearch = (input: Made['input'], step: Step): boolean =>
  text(input['pattern']).toLowerCase() === text(step['text']).toLowerCase() &&
  plain(input['path']) === plain(step['path'])

function isSamePattern(one: string, other: string, state: State): boolean {
  const found = (pattern: string): string =>
    [...state.keys()].filter((path) => toRegExp(pattern).test(path)).join('\n')
  return (
    one.replace(/^\*\*\//, '') === other.replace(/^\*\*\//, '') ||
    (found(one) !== '' && found(one) === found(other))
  )
}

const toRegExp = (glob: string): RegExp => {
  const body = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**/', '\u0000')
    .replaceAll('*', '[^/]*')
    .replaceAll('\u0000', '(?:.*/)?')
  return new RegExp(`^${glob.includes('/') ? '' : '(?:.*/)?'}${body}$`)
}

/** Line ends at the end of a file do not count. */
function isSame(one: State, other: State): boolean {
  const flat = (state: State): string =>
    JSON.stringify([...state].map(([path, content]) => [path, content.trimEnd()]).toSorted())
  return flat(one) === flat(other)
}
