/**
 * Calls in the form of another agent's tools, written as ours: an editor that is several tools in one, a list of edits or a
 * diff in place of one edit, the name of a tool typed as a shell command. Pure; what is in none of these forms stays.
 */
import type { ToolCall } from '../protocol/message.ts'
import { isObject, readJson } from '../lib/json.ts'

export function inOurForm(call: ToolCall, names: readonly string[]): ToolCall {
  const reading = readJson(call.input)
  const input = reading.ok && isObject(reading.value) ? reading.value : undefined
  if (!input) return call
  const form = forms
    .map((read) => read(call.name, input))
    .find((found) => found && names.includes(found.name))
  return form ? { ...call, name: form.name, input: JSON.stringify(form.input) } : call
}

type Input = Readonly<Record<string, unknown>>
type Form = { readonly name: string; readonly input: Input }

const EDITOR_COMMANDS: Readonly<Record<string, string>> = {
  view: 'read_file',
  create: 'write_file',
  str_replace: 'edit_file',
}

/** `str_replace_editor {"command": "view", "path": ...}`. */
function editor(name: string, { command, ...input }: Input): Form | undefined {
  if (!/editor|edit_?tool/i.test(name) || typeof command !== 'string') return undefined
  const tool = EDITOR_COMMANDS[command]
  return tool === undefined ? undefined : { name: tool, input }
}

const EDITS = /^(?:multi_?)?edit(?:_?files?)?$|^str_?replace|^replace|^apply_?(?:diff|edits?|patch)$|^patch/i

/** Several replacements at once: the first form that holds them all. */
function listOfEdits(name: string, input: Input): Form | undefined {
  const { path } = pathIn(input)
  const given = input['edits'] ?? input['changes'] ?? input['replacements']
  const reading = typeof given === 'string' ? readJson(given) : undefined
  const list = reading?.ok ? reading.value : given
  if (!EDITS.test(name) || path === undefined || !Array.isArray(list)) return undefined
  const edits = list.map(toEdit)
  const [only, ...more] = edits
  if (!only || !edits.every((edit) => edit !== undefined)) return undefined
  if (more.length === 0) return { name: 'edit_file', input: { path, ...only } }
  const hunks = edits.flatMap(({ old, new: now }) => ['@@', ...marked('-', old), ...marked('+', now)])
  const patch = ['*** Begin Patch', `*** Update File: ${path}`, ...hunks, '*** End Patch', ''].join('\n')
  return { name: 'apply_patch', input: { patch } }
}

type Edit = { readonly old: string; readonly new: string }

function toEdit(value: unknown): Edit | undefined {
  if (!isObject(value)) return undefined
  const pick = (pattern: RegExp): unknown => Object.entries(value).find(([key]) => pattern.test(key))?.[1]
  const old = pick(/^(?:old|search|find|original|before)/i)
  const now = pick(/^(?:new|replace|after|updated)/i)
  return typeof old === 'string' && typeof now === 'string' ? { old, new: now } : undefined
}

const marked = (mark: string, text: string): readonly string[] =>
  text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => mark + line)

/** An edit given as a diff. Its header may be missing: the path stands beside it. */
function diffForEdit(name: string, input: Input): Form | undefined {
  const { path } = pathIn(input)
  const diff = ['diff', 'patch', 'changes', 'edit', 'new', 'content'].map((key) => input[key]).find(isDiff)
  if (!EDITS.test(name) || path === undefined || diff === undefined || typeof input['old'] === 'string') {
    return undefined
  }
  const hasHeader = /^(?:--- |\*\*\* Begin Patch)/m.test(diff)
  const body = diff.endsWith('\n') ? diff : `${diff}\n`
  return { name: 'apply_patch', input: { patch: hasHeader ? body : `--- a/${path}\n+++ b/${path}\n${body}` } }
}

const isDiff = (value: unknown): value is string => typeof value === 'string' && /^@@/m.test(value)

function pathIn(input: Input): { readonly path?: string } {
  const key = ['path', 'file_path', 'filePath', 'file', 'filename', 'target_file'].find(
    (candidate) => typeof input[candidate] === 'string',
  )
  return key === undefined ? {} : { path: String(input[key]) }
}

/** What a tool that takes one text takes; no program of a system has such a name. */
const ONE_WORD: Readonly<Record<string, string>> = { read_file: 'path', list_files: 'path' }

/** `read_file src/a.js` as a command. */
function toolAsCommand(name: string, { command }: Input): Form | undefined {
  const [, tool = '', word] =
    /^\s*([a-z]+_[a-z]+)\s+["']?([^\s"';&|<>$`()]+)["']?\s*$/.exec(String(command ?? '')) ?? []
  const parameter = ONE_WORD[tool]
  if (name !== 'run_command' || parameter === undefined || word === undefined) return undefined
  return { name: tool, input: { [parameter]: word } }
}

const forms = [editor, listOfEdits, diffForEdit, toolAsCommand]
