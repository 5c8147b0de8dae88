/**
 * A dialect from a chat template: what the template writes for a call is what its model was trained to write. The
 * rendered call is taken apart around the name, the keys and the values that were put in. The result is checked by
 * writing a call and reading it back; where a hand-written family writes the very same, that one is named.
 */
import { canonicalJson, jsonParts } from '../../lib/json.ts'
import { families } from '../all.ts'
import { defineFamily } from '../families/define-family.ts'
import type { Family, Marker } from '../families/family.ts'
import { item, section, think } from '../families/family.ts'
import { taggedItem } from '../read/items.ts'
import { createReplyReader } from '../read/reply.ts'
import type { Shape } from '../read/shape.ts'
import { jsonShape, namedShape, pythonShape, taggedShape } from '../read/shape.ts'
import type { TagShape } from '../read/tagged.ts'
import {
  commonEnd,
  cutAt,
  lastTag,
  markerBefore,
  markerBehind,
  objectAt,
  splitHead,
  splitKey,
  splitTail,
  unquoted,
} from './cut.ts'
import type { Probe } from './probe.ts'
import { probeTemplate, WORDS } from './probe.ts'
import { defined } from '../../lib/object.ts'

export type DerivedDialect = {
  /** For `createReplyReader` and for writing history. */
  readonly family: Family
  /** json: all in JSON · named: the name outside · tagged: every argument outside · python: as Python */
  readonly style: 'json' | 'named' | 'tagged' | 'python'
  /** The hand-written family that writes the same. */
  readonly known?: string
  readonly reasoning?: { readonly open: string; readonly close: string }
  /** The prompt ends inside thinking: hand `thinking: true` to the reader. */
  readonly opensThinking: boolean
  /** The template can write several calls into one reply. */
  readonly parallel: boolean
}

/** No family writes more around a call; longer markers from a hostile file would cost memory without end. */
const MAX_WRITTEN = 2_000

/** Undefined where the template cannot be rendered, writes no calls, or writes them in no shape we know. */
export async function deriveDialect(
  template: string,
  options: { readonly name?: string } = {},
): Promise<DerivedDialect | undefined> {
  const probe = await probeTemplate(template)
  const found =
    probe && probe.call.length <= MAX_WRITTEN
      ? (fromJson(probe) ?? fromNamed(probe) ?? fromPython(probe) ?? fromTagged(probe))
      : undefined
  if (!probe || !found) return undefined
  const reasoning = reasoningIn(probe)
  const family = defineFamily({
    name: options.name ?? 'template',
    models: /(?!)/,
    shape: found.shape,
    markers: [...found.markers, ...(reasoning ? [think(reasoning.open, reasoning.close)] : [])],
    result: ({ text }) => `${probe.result?.before ?? ''}${text}${probe.result?.after ?? ''}`,
  })
  const one = callsIn(probe.call, family)
  if (!sameCalls(one, [TEMPLATE_CALL]) || !sameCalls(callsIn(family.write(SAMPLE), family), [SAMPLE]))
    return undefined
  const known = families.find(
    (candidate) => writeSample(candidate).trim() === writeSample(family).trim(),
  )?.name
  const opensThinking = reasoning !== undefined && probe.promptEnd.trimEnd().endsWith(reasoning.open)
  const parallel = callsIn(probe.twoCalls, family).length === 2
  return {
    family,
    style: found.style,
    opensThinking,
    parallel,
    ...defined({ known, reasoning }),
  }
}

type Found = {
  readonly style: DerivedDialect['style']
  readonly shape: Shape
  readonly markers: readonly Marker[]
}

/** `<open>{"name": "x", "arguments": {...}}<close>` */
function fromJson(probe: Probe): Found | undefined {
  const text = probe.call
  const nameAt = text.indexOf(JSON.stringify(WORDS.name))
  const start = nameAt === -1 ? -1 : text.lastIndexOf('{', nameAt)
  const object = start === -1 ? undefined : objectAt(text, start)
  if (!object) return undefined
  const parts = jsonParts(object)
  const nameKey = parts.find((part) => part.text === JSON.stringify(WORDS.name))?.key
  const argumentsKey = parts.find((part) => part.text.includes(WORDS.firstKey))?.key
  if (nameKey === undefined || argumentsKey === undefined) return undefined
  const list = text.slice(0, start).trimEnd().endsWith('[')
  const open = list ? text.slice(0, start).trimEnd().slice(0, -1) : text.slice(0, start)
  const behind = text.slice(start + object.length)
  const close = list ? behind.replace(/^\s*\]/, '') : behind
  const shape = jsonShape({ open: open.trimStart(), close, list, nameKey, argumentsKey })
  return { style: 'json', shape, markers: sectionOf(open, close) }
}

/** `<open>name<between>{...}<close>` */
function fromNamed(probe: Probe): Found | undefined {
  const text = probe.call
  const nameAt = text.indexOf(WORDS.name)
  const start = text.indexOf('{', nameAt)
  const object = start === -1 ? undefined : objectAt(text, start)
  if (nameAt === -1 || !object?.includes(WORDS.firstValue)) return undefined
  const open = text.slice(0, nameAt).trimStart()
  const between = text.slice(nameAt + WORDS.name.length, start)
  const close = text.slice(start + object.length)
  const separators = between.trim() === '' ? [] : [between.trim()]
  return {
    style: 'named',
    shape: namedShape({ open, between, close }),
    markers: open.trim() === '' ? [] : [section(open.trimEnd(), closers(close), { separators })],
  }
}

/** `<open>name(key="value", ...)<close>` */
function fromPython(probe: Probe): Found | undefined {
  const text = probe.call
  const nameAt = text.indexOf(WORDS.name)
  const end = text.lastIndexOf(')')
  if (nameAt === -1 || text[nameAt + WORDS.name.length] !== '(' || end === -1) return undefined
  const open = text.slice(0, nameAt).trimStart()
  const close = text.slice(end + 1)
  const marker = open.replace(/\[\s*$/, '').trim()
  const markers = marker === '' ? [] : [section(marker, closers(close.replace(/^\s*\]/, '')))]
  return { style: 'python', shape: pythonShape({ open, close }), markers }
}

/** `<open>name<end><key>k<end>v<close>...<close>`: what two arguments have in common are their tags. */
function fromTagged(probe: Probe): Found | undefined {
  const cut = cutAt(probe.call, [
    WORDS.name,
    WORDS.firstKey,
    WORDS.firstValue,
    WORDS.secondKey,
    WORDS.secondValue,
  ])
  if (!cut) return undefined
  const [head = '', afterName = '', keyToValue = '', between = '', , tail = ''] = cut
  const keyOpen = lastTag(commonEnd(afterName, between))
  const valueClose = between.slice(0, between.length - keyOpen.length).trim()
  if (keyOpen === '' || valueClose === '' || keyToValue.trim() === '') return undefined
  const opened = splitHead(head.trim())
  const closed = splitTail(
    tail.slice(tail.indexOf(valueClose) + valueClose.length).trim(),
    opened.call !== '',
  )
  const nameEnd = afterName
    .slice(0, afterName.length - keyOpen.length)
    .trim()
    .replace(/^["']/, '')
  const key = splitKey(keyToValue)
  const tags: TagShape = {
    ...(opened.call !== '' && { call: { open: opened.call, end: nameEnd, close: closed.call } }),
    key: { open: unquoted(keyOpen), end: key.end },
    value: { ...defined({ open: key.open }), close: valueClose },
    padded: keyToValue.endsWith('\n') && between.startsWith('\n'),
  }
  const gap = opened.call === '' || opened.section === '' ? '' : '\n'
  const shape = taggedShape(tags, { open: opened.section + gap, close: gap + closed.section })
  return { style: 'tagged', shape, markers: taggedMarkers(tags, opened.section, closed.section) }
}

function taggedMarkers(tags: TagShape, open: string, close: string): Marker[] {
  const { call } = tags
  const items = call ? [item(call.open, taggedItem({ ...tags, call }))] : []
  return open === '' ? items : [section(open, closers(close), { tags }), ...items]
}

const sectionOf = (open: string, close: string): Marker[] =>
  open.trim() === '' ? [] : [section(open.trim(), closers(close))]

const closers = (close: string): string[] => (close.trim() === '' ? [] : [close.trim()])

function reasoningIn({ thought, promptEnd }: Probe): { open: string; close: string } | undefined {
  const open = thought && markerBefore(thought.before)
  const close = thought && markerBehind(thought.after)
  if (open !== undefined && close !== undefined) return { open, close }
  // A template may drop earlier thoughts; the end of its prompt still shows how the next one begins.
  const begun = families
    .flatMap((family) => family.markers)
    .find((marker) => marker.kind === 'think' && promptEnd.trimEnd().endsWith(marker.open))
  const [end] = begun?.kind === 'think' ? begun.close : []
  return begun && end !== undefined ? { open: begun.open, close: end } : undefined
}

type Sample = { readonly name: string; readonly input: string }

const SAMPLE = { id: 'call00000', name: 'read_file', input: '{"path": "a b.txt", "query": "{x}"}' }
const TEMPLATE_CALL: Sample = {
  name: WORDS.name,
  input: JSON.stringify({ [WORDS.firstKey]: WORDS.firstValue, [WORDS.secondKey]: WORDS.secondValue }),
}

const writeSample = (family: Family): string => family.write(SAMPLE)

/** What the derived family reads in a text; the text must be calls and nothing else. */
function callsIn(text: string, family: Family): Sample[] {
  const names = [SAMPLE.name, WORDS.name, WORDS.secondName]
  const reader = createReplyReader({
    tools: names.map((name) => ({ name, parameters: { type: 'object' } })),
    dialect: family,
  })
  const events = [...reader.push(text), ...reader.end()]
  return events.every((event) => event.type === 'tool-call') ? events.map((event) => event.call) : []
}

/** Derived markers that do not read what the template or they themselves write are worth nothing. */
const sameCalls = (found: readonly Sample[], wanted: readonly Sample[]): boolean =>
  found.length === wanted.length &&
  found.every(({ name, input }, index) => {
    const other = wanted[index]
    return name === other?.name && canonicalJson(JSON.parse(input)) === canonicalJson(JSON.parse(other.input))
  })
