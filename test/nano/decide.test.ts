import { expect, test } from 'vitest'
import { isUndisputed, decide, type Evidence, OFFERED, SURE } from '../../src/nano/decide.ts'
import { callBody } from '../../src/nano/weights/format.ts'
import type { NanoCall, NanoStep } from '../../src/nano/steps/run.ts'

const read: NanoCall = { name: 'read_file', input: { path: 'a.ts' } }
const run: NanoCall = { name: 'run_command', input: { command: 'npm test' } }

const evidenceOf = (text: string, more: Partial<Evidence> = {}): Evidence => ({
  request: 'read a.ts and npm test',
  text,
  confidences: [1],
  isCut: false,
  isRequestCut: false,
  steps: [],
  lines: [],
  ...more,
})

const writing = ({ name, input }: NanoCall, more: Partial<Evidence> = {}): Evidence =>
  evidenceOf(`<tool_call>${callBody(name, input)}</tool_call>`, more)

const stepOf = (call: NanoCall, more: Partial<NanoStep> = {}): NanoStep => ({
  call,
  ok: true,
  text: 'x',
  shown: 'x',
  ...more,
})

const GUESS = 'The built-in model guessed this: '

test('a call that acts is made unasked only when every choice in it was sure', () => {
  const unsure = { kind: 'guess', call: run, why: `${GUESS}it is not certain that this is meant` }

  expect(decide(writing(run, { confidences: [1, SURE, 0.99] }))).toEqual({ kind: 'call', call: run })
  expect(decide(writing(run, { confidences: [1, SURE - 0.01, 1] }))).toEqual({ ...unsure, isLikely: true })
  expect(decide(writing(run, { confidences: [0.59] }))).toEqual({ ...unsure, isLikely: false })
  expect(decide(writing({ name: 'deploy', input: {} }, { confidences: [OFFERED] })).kind).toBe('guess')
  expect(decide(writing(run, { confidences: [OFFERED - 0.01] }))).toEqual({ kind: 'doubt', call: run })
})

test('a fact of the machine that is asked for is looked up, unless the words are against it', () => {
  const disk: NanoCall = { name: 'run_command', input: { command: 'df -h' } }
  const said = (request: string) => decide(writing(disk, { request, confidences: [0.6] }))

  expect(said('how full is the disk?')).toEqual({ kind: 'call', call: disk })
  expect(said('how full is the disk? not now')).toEqual({ kind: 'doubt', call: disk })
  expect(said('run the tests').kind).toBe('guess')
})

test('what the request does not spell out is a guess, likely only when surer than that', () => {
  const edit: NanoCall = { name: 'edit_file', input: { path: 'src/a.ts', old: 'x', new: 'y' } }
  const request = 'run the tests'
  const guess = (what: string, isLikely: boolean) => ({
    kind: 'guess',
    why: `${GUESS}the request does not spell out the ${what}`,
    isLikely,
  })

  expect(decide(writing(run, { request, confidences: [SURE] }))).toEqual({
    ...guess('command', true),
    call: run,
  })
  expect(decide(writing(run, { request, confidences: [0.79] }))).toEqual({
    ...guess('command', false),
    call: run,
  })
  const change = 'change x to y'
  expect(decide(writing(edit, { request: change, confidences: [0.79] }))).toEqual({
    ...guess('path', false),
    call: edit,
  })
  expect(decide(writing(edit, { request: `${change} in A.ts`, confidences: [SURE] })).kind).toBe('call')
})

test('what removes something is likely only when it is certain', () => {
  const request = 'delete the old notes'
  const remove: NanoCall = { name: 'delete_file', input: { path: 'notes/old.txt' } }
  const likely = (confidence: number) => decide(writing(remove, { request, confidences: [confidence] }))

  const line: NanoCall = { name: 'edit_file', input: { path: 'notes/old.txt', old: 'milk', new: '' } }
  const clear = { request: 'delete the milk line', confidences: [SURE - 0.01] }

  expect(decide(writing(line, clear))).toMatchObject({ kind: 'guess', isLikely: false })
  expect(likely(SURE)).toMatchObject({ kind: 'guess', isLikely: true })
  expect(likely(SURE - 0.01)).toMatchObject({ kind: 'guess', isLikely: false })
})

test.each(
  `rm -rf build;git reset --hard;sudo rm -r /;git push origin main --force;/bin/rm a;bash -c "rm x";find . -name a -delete;git -C x reset HEAD --hard;git checkout .;git stash drop;git push -fu origin main;git push origin +main;terraform destroy;docker system prune -af;npm unpublish x;echo a > notes.txt`.split(
    ';',
  ),
)('a command that destroys is asked for, also where it is typed: %s', (command) => {
  const call: NanoCall = { name: 'run_command', input: { command } }

  expect(decide(writing(call, { request: command }))).toMatchObject({ kind: 'guess' })
})

test('what the request does not want done now is not even offered', () => {
  expect(decide(writing(run, { request: 'do not run npm test yet' }))).toEqual({ kind: 'doubt', call: run })
})

test('a call that only looks is made all the same', () => {
  expect(decide(writing(read, { confidences: [0.2] }))).toEqual({ kind: 'call', call: read })
})

test('nothing is changed on a request that was not read whole', () => {
  expect(decide(writing(run, { isRequestCut: true }))).toEqual({ kind: 'too-long' })
  expect(decide(writing(read, { isRequestCut: true }))).toEqual({ kind: 'call', call: read })
})

test('a call that did not come to its end is none', () => {
  const cut = '<tool_call>\n{"name": "write_file", "arguments": {"path": "a", "content": "b'

  expect(decide(evidenceOf(cut, { isCut: true }))).toEqual({ kind: 'refuse', reason: 'too-hard' })
  expect(decide(evidenceOf(cut))).toEqual({ kind: 'refuse', reason: 'too-hard' })
})

test('a form answers with the last result, a refusal keeps its reason', () => {
  const steps = [stepOf(read)]

  expect(decide(evidenceOf('<|form:count|>', { steps }))).toEqual({ kind: 'answer', form: 'count' })
  expect(decide(evidenceOf('<|form:refuse|><|reason:chat|>'))).toEqual({ kind: 'refuse', reason: 'chat' })
  expect(decide(evidenceOf('<|form:text|>'))).toEqual({ kind: 'refuse', reason: 'too-hard' })
})

test('the same call again is answered with what it gave, unless something was changed since', () => {
  const edit: NanoCall = { name: 'edit_file', input: { path: 'a.ts', old: 'x', new: 'y' } }

  expect(decide(writing(read, { steps: [stepOf(read)] }))).toEqual({ kind: 'answer', form: 'text' })
  expect(decide(writing(run, { steps: [stepOf(run), stepOf(read)] }))).toEqual({
    kind: 'answer',
    form: 'text',
  })
  expect(decide(writing(run, { steps: [stepOf(run), stepOf(edit)] }))).toEqual({ kind: 'call', call: run })
  expect(decide(writing(edit, { steps: [stepOf(edit, { ok: false })] }))).toEqual({
    kind: 'answer',
    form: 'error',
  })
})

test('one clause is one step, whatever the result suggests', () => {
  const steps = [stepOf(read)]
  const asked = (request: string, more: Partial<Evidence> = {}): Evidence =>
    writing(run, { request, steps, ...more })

  expect(decide(asked('read a.ts'))).toEqual({ kind: 'answer', form: 'text' })
  expect(decide(asked('read a.ts and npm test'))).toEqual({ kind: 'call', call: run })
  expect(decide(asked('npm test', { steps: [stepOf(read, { ok: false })] }))).toEqual({
    kind: 'call',
    call: run,
  })
  expect(decide(asked('npm test', { steps: [stepOf({ name: 'more_tools', input: {} })] }))).toEqual({
    kind: 'call',
    call: run,
  })
})

test('a sign against it in another clause is a reason to ask, in its own to do nothing', () => {
  const request = 'delete a.txt, then show me what is left'
  const evidence = writing({ name: 'delete_file', input: { path: 'a.txt' } }, { request })

  expect(decide({ ...evidence, part: { clause: 'delete a.txt', from: 0 } }).kind).toBe('guess')
  expect(decide({ ...evidence, part: { clause: request, from: 0 } }).kind).toBe('doubt')
  expect(decide(evidence).kind).toBe('doubt')
})

test('a text that goes on where the model stopped is asked for', () => {
  const request = 'add to notes.txt: - video attached'
  const adding = (content: string): Evidence =>
    writing({ name: 'write_file', input: { path: 'notes.txt', content, append: true } }, { request })

  expect(decide(adding('- video'))).toMatchObject({
    kind: 'guess',
    isLikely: false,
    call: { input: { content: '- video attached' } },
  })
  expect(decide(adding('- video attached')).kind).toBe('call')
})

test('what the first part orders does not order the next one', () => {
  const request = 'copy a.txt to b.txt, then address: 5 Elm Road on it'
  const append = { name: 'write_file', input: { path: 'b.txt', content: '5 Elm Road', append: true } }
  const later = { clause: 'then address: 5 Elm Road on it', from: 1 }

  expect(decide(writing(append, { request, part: later })).kind).toBe('guess')
})

test('what somebody has done already is no setting', () => {
  const call: NanoCall = { name: 'edit_file', input: { path: 'config.json', old: '3000', new: '8080' } }
  const isSet = (request: string): boolean => isUndisputed(call, request, 1)

  expect(isSet('the port goes to 8080 in config.json')).toBe(true)
  expect(isSet('Sam has changed 3000 to 8080 in config.json')).toBe(false)
  expect(isSet('the team just switched the port to 8080 in config.json')).toBe(false)
  expect(isSet('someone changed the port to 8080')).toBe(false)
  expect(isSet('the port was changed to 8080 in config.json')).toBe(false)
  expect(isSet('they set the port to 8080 yesterday')).toBe(false)
  expect(isSet('the port should be changed to 8080')).toBe(true)
  expect(isSet("they've already set the port to 8080 in config.json")).toBe(false)
})
