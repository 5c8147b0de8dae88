/**
 * How a call of nano's is written for the parameters of a client's tool: other names, other shapes (a list of edits, a block to search
 * and replace, a command as a list of words), and what a tool requires that nano has nothing to say about. Pure.
 */
import { foldName, meansParameter } from '../../lib/argument-names.ts'
import { isObject } from '../../lib/json.ts'
import { describeCall, DESCRIPTIVE, typesOf } from '../../lib/schema.ts'
import { type ClientTool, propertiesOf } from './tools.ts'
import type { NanoCall } from '../steps/run.ts'
import type { NanoTool } from '../weights/tools.ts'

type Input = NanoCall['input']

export type Wiring = {
  /** The client's parameter for each of nano's that it has. */
  readonly keys: ReadonlyMap<string, string>
  /** Whether it has a counterpart of this parameter. */
  has(parameter: string): boolean
  toClient(input: Input): Input
  fromClient(input: Input): Input
  /** Whether a call of the client's tool is this one of its actions. */
  isCalled(input: Input): boolean
}

/** Nothing where a parameter that either side must have has no counterpart. */
export function wiringFor(tool: NanoTool, client: ClientTool): Wiring | undefined {
  const properties = propertiesOf(client.schema)
  const keys = keysFor(
    tool,
    Object.keys(properties).filter((key) => !(key in client.fixed)),
  )
  const missing = tool.parameters
    .filter(({ name, required }) => required && !keys.has(name))
    .map(({ name }) => name)
  const shape = missing.length === 0 ? undefined : shapeFor(missing, properties)
  if (missing.length > 0 && !shape) return undefined
  const written = [...keys.values(), ...(shape ? [shape.key] : [])]
  const fixed = { ...fillers(client, written), ...client.fixed }
  if (!canFill(client, [...written, ...Object.keys(fixed)])) return undefined
  const limit =
    keys.has('to') || tool.name !== 'read_file' ? undefined : Object.keys(properties).find(isLimit)
  const names = new Map(Array.from(keys, ([own, theirs]) => [theirs, own]))
  return {
    keys,
    has: (parameter) =>
      keys.has(parameter) ||
      (parameter === 'to' && limit !== undefined) ||
      (shape !== undefined && missing.includes(parameter)),
    toClient: (input) => ({
      ...fixed,
      ...Object.fromEntries(
        Object.entries(input).flatMap(([name, value]) => {
          const key = keys.get(name)
          return key === undefined ? [] : [[key, asType(name, value, properties[key])]]
        }),
      ),
      ...(shape && { [shape.key]: shape.pack(input) }),
      ...(limit !== undefined &&
        'to' in input && { [limit]: Number(input['to']) - Number(input['from'] ?? 1) + 1 }),
    }),
    fromClient: (input) => ({
      ...Object.fromEntries(
        Object.entries(input).flatMap(([key, value]) =>
          key in client.fixed || key === shape?.key ? [] : [[names.get(key) ?? key, plain(value)]],
        ),
      ),
      ...shape?.unpack(input[shape.key]),
    }),
    isCalled: (input) => Object.entries(client.fixed).every(([key, value]) => input[key] === value),
  }
}

const SOURCES = 'source src sourcepath srcpath oldpath frompath oldname path sourcefile'
const TARGETS =
  'destination dest dst destinationpath destpath target targetpath newpath topath newname destinationfile'

/** How many lines to read, where there is no parameter for the last one. */
const isLimit = (key: string): boolean =>
  ['limit', 'numlines', 'maxlines', 'linecount', 'lines'].includes(foldName(key))

/** By the tool where a name means different things, else by the parameter; theirs without case and separators. */
const ALSO: Readonly<Record<string, string>> = {
  path: 'directorypath folderpath searchpath targetpath targetdirectory absolutepath relativepath relativeworkspacepath rootpath root basepath filepaths paths',
  content: 'filecontent filecontents newcontent codecontent',
  old: 'oldcontent searchtext searchstring targetcontent originaltext before stringtoreplace',
  new: 'newcontent replacetext replacementtext replacewith replacementcontent after',
  all: 'replaceall replacealloccurrences global allowmultiple',
  pattern:
    'regexp searchpattern searchquery searchstring searchtext keyword needle globpattern namepattern filepattern name filename',
  command: 'cmdline commandline shellcommand bashcommand commands',
  background: 'isbackground runinbackground',
  url: 'webpage',
  'read_file.from': 'linestart fromline firstline startlineonebased viewstart',
  'read_file.to': 'endline end lineend toline lastline endlineonebased',
  'copy_file.from': SOURCES,
  'move_file.from': SOURCES,
  'copy_file.to': TARGETS,
  'move_file.to': TARGETS,
}

function keysFor(
  { name: tool, parameters }: NanoTool,
  theirs: readonly string[],
): ReadonlyMap<string, string> {
  const keys = new Map<string, string>()
  for (const { name, kind } of parameters) {
    const free = theirs.filter((key) => ![...keys.values()].includes(key))
    const also = `${ALSO[`${tool}.${name}`] ?? ''} ${ALSO[name] ?? ''}`.split(' ')
    // `from` is a line in one tool and a path in another; the common table speaks of lines.
    const isCommon = kind !== 'path' || name !== 'from'
    const key =
      free.find((candidate) => foldName(candidate) === foldName(name)) ??
      free.find((candidate) => isCommon && meansParameter(candidate, name)) ??
      free.find((candidate) => also.includes(foldName(candidate)))
    if (key !== undefined) keys.set(name, key)
  }
  return keys
}

/** Several arguments in one parameter of the client. */
type Shape = {
  readonly key: string
  pack(input: Input): unknown
  unpack(value: unknown): Input
}

function shapeFor(
  missing: readonly string[],
  properties: Readonly<Record<string, unknown>>,
): Shape | undefined {
  if (missing.join(' ') !== 'old new') return undefined
  for (const [key, property] of Object.entries(properties)) {
    if (!isObject(property)) continue
    const list = editList(key, property)
    if (list) return list
    if (/^(?:diff|blocks?)$/i.test(key) && typesOf(property).includes('string'))
      return { key, ...SEARCH_REPLACE }
  }
  return undefined
}

/** `edits: [{oldText, newText}]`. */
function editList(key: string, property: Record<string, unknown>): Shape | undefined {
  const items = property['items']
  if (!typesOf(property).includes('array') || !isObject(items)) return undefined
  const inner = Object.keys(propertiesOf({ parameters: items }))
  const keyOf = (name: string): string | undefined =>
    inner.find(
      (candidate) => meansParameter(candidate, name) || ALSO[name]?.split(' ').includes(foldName(candidate)),
    )
  const [old, replacement] = [keyOf('old'), keyOf('new')]
  if (old === undefined || replacement === undefined) return undefined
  return {
    key,
    pack: (input) => [{ [old]: input['old'], [replacement]: input['new'] }],
    unpack(value) {
      const first: unknown = Array.isArray(value) ? value[0] : undefined
      return isObject(first) ? { old: first[old], new: first[replacement] } : {}
    },
  }
}

const SEARCH_REPLACE: Omit<Shape, 'key'> = {
  pack: ({ old, new: replacement }) =>
    ['------- SEARCH', old, '=======', ...(replacement === '' ? [] : [replacement]), '+++++++ REPLACE'].join(
      '\n',
    ),
  unpack(value) {
    const found = /SEARCH\n([\s\S]*?)\n=+\n([\s\S]*?)\n?[+>]+ REPLACE/.exec(
      typeof value === 'string' ? value : '',
    )
    return found ? { old: found[1], new: found[2] } : {}
  },
}

/** What is required and neither said nor described: a folder to look in is the project, a yes or no is the careful one. */
function fillers({ schema, fixed }: ClientTool, written: readonly string[]): Record<string, unknown> {
  const filled: Record<string, unknown> = {}
  for (const key of requiredOf(schema.parameters)) {
    const property = propertiesOf(schema)[key]
    if (written.includes(key) && !isFolderToSearch(key, written)) continue
    if (key in fixed || !isObject(property)) continue
    if ('default' in property) filled[key] = property['default']
    else if (typesOf(property).includes('boolean')) filled[key] = /approv|confirm|ask/i.test(key)
    else if (isFolderToSearch(key, written)) filled[key] = '.'
    else if (TOLD.test(key) && !DESCRIPTIVE.has(key)) filled[key] = 'As the user asked.'
  }
  return filled
}

/** Required beside a pattern; nano names it only where the request does. */
const isFolderToSearch = (key: string, written: readonly string[]): boolean =>
  (/^(?:path|dir|directory|folder|root|search_?path|search_?directory|dir_?path|directory_?path)$/i.test(
    key,
  ) &&
    (!written.includes(key) || written.some((other) => /pattern|query|regex|glob/i.test(other)))) ||
  /^(?:cd|cwd|work_?dir|working_?dir(?:ectory)?)$/i.test(key)

/** Parameters that only describe the call. */
const TOLD =
  /^(?:instructions?|explanation|reason(?:ing)?|purpose|justification|thoughts?|summary|title|intent|description|tool_?summary)$/i

function requiredOf(parameters: ClientTool['schema']['parameters']): string[] {
  const required: readonly unknown[] = Array.isArray(parameters['required']) ? parameters['required'] : []
  return required.filter((key) => typeof key === 'string')
}

function canFill({ schema: { name, parameters } }: ClientTool, keys: readonly string[]): boolean {
  const filled = describeCall(Object.fromEntries(keys.map((key) => [key, ''])), parameters, name)
  return requiredOf(parameters).every((key) => key in filled)
}

/** A command in a list of words is given to a shell whole; other lists hold the one value. */
function asType(name: string, value: unknown, property: unknown): unknown {
  const types = isObject(property) ? typesOf(property) : []
  if (!types.includes('array') || types.includes('string') || typeof value !== 'string') return value
  return name === 'command' ? [...SHELL, value] : [value]
}

const SHELL = ['bash', '-lc']

function plain(value: unknown): unknown {
  if (!Array.isArray(value)) return value
  const list: readonly unknown[] = value
  const isShell = list.length === 3 && SHELL.every((word, index) => list[index] === word)
  return isShell || list.length === 1 ? list.at(-1) : value
}
