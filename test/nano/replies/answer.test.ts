/** Answers are made by code out of what real tools said; nothing in them may come from anywhere else. */
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderAnswer } from '../../../src/nano/replies/answer.ts'
import { type Form, forms } from '../../../src/nano/weights/format.ts'
import { formsAfter } from '../../../src/nano/replies/forms.ts'
import { doubt, refusal, tooLong } from '../../../src/nano/replies/refusal.ts'
import { type NanoStep, readRun } from '../../../src/nano/steps/run.ts'
import { reasons } from '../../../src/nano/weights/format.ts'
import { judgeReply } from '../../../src/engine/remedy.ts'
import { builtinTools } from '../../../src/tools/all.ts'
import { tempProject, toolContext } from '../../support/project.ts'
import { situationFor } from '../../engine/situation.ts'
import { runs } from '../../support/runs.ts'

const PROJECT = {
  'README.md': '# Shop\n\nA small shop.\n',
  'src/cart.ts': 'export const total = 3 // TODO\n',
  'src/price.ts': '// TODO tax\n// TODO rounding\n',
}

/** What a real tool answers, as nano gets to see it. */
async function stepOf(name: string, input: Record<string, unknown>, root?: string): Promise<NanoStep> {
  const tool = builtinTools({ list: () => [] }).find((candidate) => candidate.name === name)!
  const context = toolContext(root ?? (await tempProject(PROJECT)))
  const result = await tool.run(tool.input.parse(input), context)
  return toStep(name, input, result)
}

const toStep = (
  name: string,
  input: Record<string, unknown>,
  { text, ok, code }: { readonly text: string; readonly ok: boolean; readonly code?: NanoStep['code'] },
): NanoStep =>
  readRun({
    messages: [
      { role: 'user', text: 'do it' },
      { role: 'assistant', text: '', calls: [{ id: 'c1', name, input: JSON.stringify(input) }] },
      { role: 'tool', callId: 'c1', text, ok, ...(code && { code }) },
    ],
  }).steps[0]!

describe('of files', () => {
  test('a file is shown as it stands, without line numbers', async () => {
    const step = await stepOf('read_file', { path: 'README.md' })

    expect(renderAnswer('text', step)).toBe('README.md:\n```\n# Shop\n\nA small shop.\n```')
    expect(renderAnswer('count', step)).toBe('3 lines in README.md:\n```\n# Shop\n\nA small shop.\n```')
    expect(renderAnswer('exists', step)).toBe('Found README.md:\n```\n# Shop\n\nA small shop.\n```')
  })

  test('a folder is a list, and its files are counted', async () => {
    const step = await stepOf('list_files', { path: '.' })

    expect(renderAnswer('list', step)).toBe('- README.md\n- src/cart.ts\n- src/price.ts')
    expect(renderAnswer('count', step)).toBe('3 files.')
  })

  test('of a large folder the files inside its folders are counted too', async () => {
    const files = Object.fromEntries(Array.from({ length: 70 }, (_, index) => [`data/${index}.csv`, 'x']))
    const step = await stepOf('list_files', { path: '.' }, await tempProject({ ...files, 'a.txt': 'x' }))

    expect(renderAnswer('list', step)).toBe('- a.txt\n- data/ (70 files)')
    expect(renderAnswer('count', step)).toBe('71 files.')
  })

  test('an empty folder is said to be empty', async () => {
    const step = await stepOf('list_files', { path: '.' }, await tempProject())

    expect(renderAnswer('list', step)).toBe('. is empty.')
    expect(renderAnswer('count', step)).toBe('0 files. . is empty.')
  })

  test('what was found exists, what was not does not, and near names are only near', async () => {
    const found = await stepOf('find_files', { pattern: '**/*.ts' })
    const near = await stepOf('find_files', { pattern: '**/cart.py' })
    const none = await stepOf('find_files', { pattern: '**/*.rs' })

    expect(renderAnswer('exists', found)).toBe('Yes, 2 files:\n- src/cart.ts\n- src/price.ts')
    expect(renderAnswer('exists', none)).toBe(`No. ${none.text}`)
    expect(renderAnswer('count', none)).toBe(`0 files. ${none.text}`)
    expect(renderAnswer('exists', near)).toMatch(/^No\. No files match/)
  })

  test('matches are counted, and the remark that the case was ignored is kept', async () => {
    const exact = await stepOf('search_text', { pattern: 'TODO' })
    const loose = await stepOf('search_text', { pattern: 'todo rounding' })
    const none = await stepOf('search_text', { pattern: 'FIXME' })

    expect(renderAnswer('count', exact)).toBe('3 matches.')
    expect(renderAnswer('exists', exact)).toMatch(/^Yes, 3 matches:\n- src\/cart\.ts:1: export/)
    expect(renderAnswer('list', loose)).toBe(
      '(upper and lower case ignored)\n- src/price.ts:2: // TODO rounding',
    )
    expect(renderAnswer('exists', none)).toMatch(/^No\. No matches in 3 files\./)
  })

  test('matches that were left out are counted where the tool knows how many', () => {
    const text =
      'a.ts:1: x\na.ts:2: x\n[at least 40 more matches in 3 files; use a narrower pattern or a path]'
    const step = toStep('search_text', { pattern: 'x' }, { ok: true, text })

    expect(renderAnswer('count', step)).toBe(
      'at least 42 matches.\n[at least 40 more matches in 3 files; use a narrower pattern or a path]',
    )
  })
})

describe('of changes and commands', () => {
  test('a change is reported in the words of the tool', async () => {
    const step = await stepOf('write_file', { path: 'new.txt', content: 'hi' })

    expect(renderAnswer('done', step)).toBe('Done.\nCreated new.txt (1 line).')
  })

  test('a command is reported with its exit code and output', async () => {
    const good = await stepOf('run_command', { command: 'echo pong' })
    const silent = await stepOf('run_command', { command: 'true' })
    const bad = await stepOf('run_command', { command: 'echo oops; exit 3' })

    expect(renderAnswer('exit', good)).toBe('`echo pong` ended with exit code 0.\n```\npong\n```')
    expect(renderAnswer('done', silent)).toBe('`true` ended with exit code 0.')
    expect(renderAnswer('exit', bad)).toBe('`echo oops; exit 3` ended with exit code 3.\n```\noops\n```')
    expect(bad.shown).toBe('exit code 3\noops')
  })

  test('a job is said to run, not to have ended', async () => {
    const step = await stepOf('run_command', { command: 'sleep 5', background: true })

    expect(renderAnswer('exit', step)).toMatch(/^`sleep 5` is running in the background as job-1\./)
    expect(step.shown).toBe('job-1 started')
  })

  test('a command that was not permitted is not said to have run', () => {
    const denied = { ok: false, code: 'denied', text: 'Error: The person said no.' } as const
    const step = toStep('run_command', { command: 'make' }, denied)

    expect(renderAnswer('exit', step)).toBe('That did not work:\nThe person said no.')
  })

  test('a failure is a failure in whatever form it was asked for', async () => {
    const step = toStep(
      'write_file',
      { path: 'a' },
      { ok: false, code: 'denied', text: 'Error: The person said no.' },
    )

    expect(forms.filter((form) => form !== 'exit').map((form) => renderAnswer(form, step))).toEqual(
      Array.from({ length: 6 }, () => 'That did not work:\nThe person said no.'),
    )
    expect(renderAnswer('exit', step)).toBe('The person said no.')
  })
})

test('long results are cut and say so, and a line that repeats is shown three times', () => {
  const lines = Array.from({ length: 150 }, (_, index) => `${index + 1}\tline ${index}`)
  const long = toStep('read_file', { path: 'a' }, { ok: true, text: lines.join('\n') })
  const same = toStep('read_file', { path: 'a' }, { ok: true, text: '1\tx\n2\tx\n3\tx\n4\tx\n5\tx\n6\ty' })

  expect(renderAnswer('text', long)).toMatch(/\nline 99\n```\n\[50 more lines\]$/)
  expect(renderAnswer('text', same)).toBe('a:\n```\nx\nx\nx\n[the same line 2 more times]\ny\n```')
})

const FRAMES = [
  /^`{3,4}$/,
  /^Done\.$/,
  /^That did not work:$/,
  /^(?:at least )?\d+ (?:files?|match|matches|results?)\.$/,
  /^(?:\d+ lines? in |Found )?some\/path:$/,
  /^Yes, (?:at least )?\d+ (?:files?|match|matches|results?):$/,
  /^\[\d+ more lines?\]$|^\[and \d+ more\]$|^\[the same line \d+ more times?\]$/,
]

/** What of an answer stands neither in the result nor in the few words around it. */
function unfounded(answer: string, { text, call }: NanoStep): string[] {
  const known = `${text}\n${Object.values(call.input).join('\n')}`
  const isFounded = (line: string): boolean =>
    FRAMES.some((frame) => frame.test(line)) ||
    [line, line.replace(/^- /, ''), line.replace(/^(?:No|0 (?:files|matches|results))\. /, '')].some((part) =>
      known.includes(part.replace(/…$/, '')),
    ) ||
    /^`.*` (?:ended with exit code 0\.|is running in the background as job-\d+\.)$/.test(line)
  return answer.split('\n').filter((line) => !isFounded(line))
}

test('no answer states what is not in the result', () => {
  const tools = [
    'read_file',
    'list_files',
    'find_files',
    'search_text',
    'list_results',
    'run_command',
    'write_file',
    'x',
  ]
  const text = fc
    .array(
      fc.oneof(
        fc.string({ maxLength: 30 }),
        fc.constantFrom('No matches in 3 files.', '[and 3 more; …]', 'a/ (2 files)'),
      ),
      {
        maxLength: 8,
      },
    )
    .map((lines) => lines.join('\n'))

  fc.assert(
    fc.property(fc.constantFrom(...tools), text, fc.boolean(), (name, said, ok) => {
      const step = toStep(name, { path: 'some/path', command: 'make it' }, { ok, text: said })

      for (const form of formsAfter(name, ok)) expect(unfounded(renderAnswer(form, step), step)).toEqual([])
    }),
    { numRuns: runs(100, 500) },
  )
})

test('no answer or refusal looks to the loop like one that must be asked again', async () => {
  const situation = situationFor('show it', { usedTools: true, toolNames: ['read_file', 'run_command'] })
  const tally = { continues: 0, byDetector: new Map() }
  const read = await stepOf('read_file', { path: 'README.md' })
  const greeting = await stepOf('read_file', { path: 'a' }, await tempProject({ a: 'Hello world' }))
  const ran = await stepOf('run_command', { command: 'echo I will now read the file' })
  const call = { name: 'run_command', input: { command: 'npm run deploy' } }
  const texts = [
    ...reasons.map(refusal),
    doubt(call),
    tooLong,
    ...(['text', 'count', 'exists'] satisfies Form[]).map((form) => renderAnswer(form, read)),
    renderAnswer('text', greeting),
    renderAnswer('exit', ran),
  ]

  const verdicts = texts.map((answer) =>
    judgeReply({ text: answer, reasoning: '', calls: [], badCalls: [], finish: 'stop' }, situation, tally),
  )

  expect(verdicts).toEqual(texts.map(() => ({ kind: 'accept' })))
  expect(texts.filter((answer) => answer.includes('\n') && /covey doctor/.test(answer))).toEqual([])
})

test('a refusal names what nano can do and the command that gets a larger model', () => {
  for (const reason of reasons) {
    expect(refusal(reason)).toMatch(/can read, list and search files/)
    expect(refusal(reason)).toMatch(/`covey doctor`.*`covey --base-url URL --model NAME`/)
  }
  expect(doubt({ name: 'run_command', input: { command: 'rm -rf build' } })).toMatch(
    /run_command rm -rf build/,
  )
})
