/**
 * The zoo: what small models do, as data. A loop goes round for ever and must be ended; an honest run must never be
 * stopped, refused or spoken to. The same data can be played by a simulator of the detectors or by a scripted model.
 */
export type Call = { readonly name: string; readonly input: { readonly [parameter: string]: unknown } }

/** Words without a call, or the calls of one turn. */
type Act = string | readonly Call[]

/** What comes back from one request; the thinking before it where that matters. */
export type Reply = Act | { readonly reasoning: string; readonly reply: Act }

export type Animal = {
  readonly name: string
  readonly prompt: string
  readonly files: { readonly [path: string]: string }
  readonly replies: readonly Reply[]
  /** After the last reply comes the first one again. */
  readonly cycles: boolean
  /** The most requests a loop may take; eight where nothing is said. */
  readonly within?: number
}

export const read = (path: string, from?: number): readonly Call[] => [
  { name: 'read_file', input: { path, ...(from !== undefined && { from }) } },
]
export const list = (path = '.'): readonly Call[] => [{ name: 'list_files', input: { path } }]
export const search = (pattern: string): readonly Call[] => [{ name: 'search_text', input: { pattern } }]
export const edit = (path: string, old: string, now: string): readonly Call[] => [
  { name: 'edit_file', input: { path, old, new: now } },
]
export const write = (path: string, content: string, overwrite = false): readonly Call[] => [
  { name: 'write_file', input: { path, content, ...(overwrite && { overwrite }) } },
]
export const run = (command: string): readonly Call[] => [{ name: 'run_command', input: { command } }]
export const start = (command: string): readonly Call[] => [
  { name: 'run_command', input: { command, background: true } },
]
export const poll = (id: string): readonly Call[] => [{ name: 'job_output', input: { id } }]
export const call = (name: string, input: Call['input']): readonly Call[] => [{ name, input }]

/** Several calls in one turn. */
export const together = (...calls: readonly (readonly Call[])[]): readonly Call[] => calls.flat()

export const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join('\n')

/** A small project with a bug and a check that says so. */
export const shop = {
  'README.md': '# Shop\n\nPrices and sums.\n',
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'src/price.js': 'export const withTax = (x) => x * 1.9\nexport const label = (x) => `EUR ${x}`\n',
  'src/app.js': "import { sum } from '../sum.js'\nconsole.log(sum(2, 3))\n",
  'src/long.js': `${lines(600, (index) => `export const value${index} = ${index * 7}`)}\n`,
  'check.sh': "grep -q 'a + b' sum.js && echo PASS || { echo 'FAIL: sum(2, 3) is not 5'; exit 1; }\n",
} as const
