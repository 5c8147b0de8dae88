import { encode } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, test } from 'vitest'
import { isObject } from '../../src/lib/json.ts'
import { toToolSchema } from '../../src/lib/schema.ts'
import { builtinTools } from '../../src/tools/all.ts'

const noPatches = async (): Promise<never> => {
  throw new Error('nothing is proposed here')
}
const tools = builtinTools({ list: () => [], patches: noPatches })
const costs = new Map(
  tools.map((tool) => [
    tool.name,
    encode(JSON.stringify({ type: 'function', function: toToolSchema(tool) })).length,
  ]),
)
const sum = (names: readonly string[]): number =>
  names.reduce((total, name) => total + (costs.get(name) ?? NaN), 0)

test('the wire names and parameters are those the bundled model knows, and a few it leaves out', () => {
  const shapes = tools.map((tool) => {
    const { properties, required = [] } = toToolSchema(tool).parameters
    const names = isObject(properties) ? Object.keys(properties) : []
    const shown = names.map((name) => ((required as string[]).includes(name) ? name : `[${name}]`))
    return `${tool.category}: ${tool.name}{${shown.join(',')}}`
  })

  expect(shapes).toEqual([
    'read: list_files{[path],[from]}',
    'read: read_file{path,[from],[to]}',
    'search: search_text{pattern,[path]}',
    'write: edit_file{path,old,new,[all]}',
    'write: write_file{path,content,[overwrite],[append]}',
    'run: run_command{command,[background]}',
    'search: find_files{pattern}',
    'write: apply_patch{patch}',
    'write: make_folder{path}',
    'write: copy_file{from,to}',
    'write: move_file{from,to}',
    'write: delete_file{path}',
    'run: job_output{id}',
    'run: job_stop{id}',
    'read: read_result{id,[from],[pattern]}',
    'read: list_results{}',
    'meta: ask_user{question,[options]}',
    'meta: system_info{}',
    'web: fetch_url{url}',
    'run: python{code}',
    'run: javascript{code}',
    'read: data_view{path,[view],[sql]}',
    'write: propose_patch{plan,diff,tests}',
    'meta: more_tools{[category]}',
    'meta: call_tool{[name],[arguments]}',
    'meta: select_category{category}',
  ])
})

test('no tool costs more than 80 tokens, those that came first no more than 900', () => {
  const files = ['make_folder', 'copy_file', 'move_file', 'delete_file']
  const later = new Set(['python', 'javascript', 'data_view', 'propose_patch', ...files])

  expect([...costs].filter(([, cost]) => cost > 80)).toEqual([])
  expect(sum([...costs.keys()].filter((name) => !later.has(name)))).toBeLessThanOrEqual(900)
  expect(sum(files)).toBeLessThanOrEqual(200)
})

test('what a small window shows stays small', () => {
  const core = ['list_files', 'read_file', 'search_text', 'edit_file', 'write_file', 'run_command']

  expect(sum(core)).toBeLessThanOrEqual(360)
  expect(sum(['more_tools', 'call_tool'])).toBeLessThanOrEqual(75)
})

test('no description is longer than 40 tokens', () => {
  expect(tools.filter(({ description }) => encode(description).length > 40)).toEqual([])
})
