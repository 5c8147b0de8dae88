import { beforeAll, describe, expect, test } from 'vitest'
import type { Decision } from '../../../src/nano/decide.ts'
import type { RankedEdit } from '../../../src/nano/edits/ranking.ts'
import type { Opinions } from '../../../src/nano/opinion/load.ts'
import type { ProjectFiles } from '../../../src/nano/project/sources.ts'
import { rankedEdit } from '../../../src/nano/calls/ranked-edit.ts'
import { createFiles } from '../../../src/guard/paths/files.ts'
import { tempProject } from '../../support/project.ts'

let files: ProjectFiles
beforeAll(async () => {
  files = createFiles({ root: await tempProject({ 'chat.yml': 'caps: 70\nspam: 4\n' }) })
})

const ranks = (...edits: RankedEdit[]): Opinions => ({
  action: () => new Map(),
  verdict: () => [],
  edits: () => edits,
  paths: () => [],
  targets: () => [],
  texts: () => [],
  contents: () => [],
  commands: () => [],
  further: () => [],
  trust: () => 0,
  parts: (request) => [request],
  knows: () => true,
})

const caps: RankedEdit = {
  path: 'chat.yml',
  number: 1,
  before: 'caps: 70',
  after: 'caps: 50',
  share: 0.7,
  at: 5,
}
const edit = (old: string, replacement: string): Decision => ({
  kind: 'guess',
  call: { name: 'edit_file', input: { path: 'chat.yml', old, new: replacement } },
  why: 'because',
  isLikely: false,
})

const reply = (confidence: number) => ({
  text: '<tool_call>\n{"name": "change_line", "arguments": {}}',
  confidences: [confidence],
  isCut: false,
  usage: { prompt: 0, completion: 0 },
  times: { firstTokenMs: 0, decodeMs: 0 },
})

const place = (clause: string, opinions: Opinions, confidence = 0.5) => ({
  request: clause,
  clause,
  steps: [],
  files,
  reply: reply(confidence),
  opinions,
  isBegun: false,
})

describe('the ranking of edits', () => {
  test('takes the place of an edit nano was not sure of, and is asked for', async () => {
    const decision = await rankedEdit(edit('spam: 4', 'spam: 50'), place('set caps to 50', ranks(caps)))

    expect(decision).toMatchObject({
      kind: 'guess',
      call: { input: { path: 'chat.yml', old: 'caps: 70', new: 'caps: 50' } },
    })
  })

  test('leaves an edit alone that nano was sure of', async () => {
    const mine = edit('spam: 4', 'spam: 50')

    expect(await rankedEdit(mine, place('set caps to 50', ranks({ ...caps, share: 0.3 }), 0.97))).toBe(mine)
  })

  test('leaves an edit alone whose texts the request spells', async () => {
    const mine = edit('spam', 'noise')

    expect(await rankedEdit(mine, place('change spam to noise', ranks({ ...caps, share: 0.5 })))).toBe(mine)
  })

  test('offers what nano wrote too unsurely to offer', async () => {
    const refused: Decision = { kind: 'refuse', reason: 'unclear' }

    const decision = await rankedEdit(refused, place('set caps to 50', ranks(caps)))

    expect(decision).toMatchObject({ kind: 'guess', call: { input: { new: 'caps: 50' } } })
  })

  test('offers nothing where the words are against it', async () => {
    const refused: Decision = { kind: 'refuse', reason: 'unclear' }

    expect(await rankedEdit(refused, place("don't set caps to 50 yet", ranks(caps)))).toBe(refused)
  })

  test('says nothing where several places are meant', async () => {
    const mine = edit('spam: 4', 'spam: 50')

    expect(await rankedEdit(mine, place('set caps to 50 everywhere', ranks(caps)))).toBe(mine)
  })
})
