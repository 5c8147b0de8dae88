import { describe, expect, test } from 'vitest'
import { judgeRepeat, type NextCall } from '../../../src/engine/detectors/repeated-call.ts'
import type { Trace } from '../../../src/engine/trace.ts'
import { type Sketch, traceOf } from '../record.ts'

/** A call the next turn makes, and what it would give if it were run. */
type Step = Sketch & { readonly turn?: never }

const verdict = (trace: Trace, { name, key, path, code, polling = false, waiting = false }: Step) => {
  const next: NextCall = {
    name,
    key: key ?? `${name} ${path ?? ''}`,
    polling,
    isMissing: code === 'missing-path',
    isWaiting: waiting,
    ...(path !== undefined && { path }),
  }
  return judgeRepeat({ ...trace, turns: trace.turns + 1 }, next)
}

/** What became of each call, until the run was stopped. */
function play(steps: readonly Step[], compactions: readonly number[] = []): string[] {
  const actions: string[] = []
  const done: Sketch[] = []
  for (const [index, step] of steps.entries()) {
    const compactedTurn = compactions.findLast((turn) => turn <= index + 1)
    const judged = verdict(traceOf(done, compactedTurn === undefined ? {} : { compactedTurn }), step)
    actions.push(judged.action)
    if (judged.action === 'stop') break
    const refused =
      'text' in judged ? { ...step, code: 'refused' as const, text: judged.text, wrote: false } : step
    done.push(refused)
  }
  return actions
}

const cycle = (count: number, ...steps: readonly Step[]): Step[] =>
  Array.from({ length: count }, (_, index) => steps[index % steps.length]!)

const read = (path: string, text = `content of ${path}`): Step => ({ name: 'read_file', path, text })
const edit = (key: string): Step => ({
  name: 'edit_file',
  key,
  path: 'a.ts',
  text: `edited ${key}`,
  wrote: true,
})
const missing = (path: string): Step => ({
  name: 'read_file',
  path,
  code: 'missing-path',
  text: `${path} does not exist. Nearest: a.ts.`,
})
const command = (text: string, line = 'npm test'): Step => ({ name: 'run_command', key: line, text })
const red = (text: string, line = 'npm test'): Step => ({ ...command(text, line), code: 'exit-code' })

const ran = (count: number): string[] => Array.from({ length: count }, () => 'run')

describe('the same call with the same result', () => {
  test('is answered, refused, and then ends the run on the fifth request', () => {
    expect(play(cycle(9, read('a.ts')))).toEqual(['run', 'run', 'answer', 'refuse', 'stop'])
  })

  test('is answered with what it gave, and refused with what else to do', () => {
    const twice = [read('a.ts'), read('a.ts')]
    const answered: Sketch = { ...read('a.ts'), code: 'refused', text: 'as before' }

    expect(verdict(traceOf(twice), read('a.ts'))).toEqual({
      action: 'answer',
      ok: true,
      text: 'content of a.ts\n[note] You already had this answer and nothing has changed since. Use it: take the next step or answer.',
    })
    expect(verdict(traceOf([...twice, answered]), read('a.ts'))).toEqual({
      action: 'refuse',
      text: 'Refused: the same read_file call again would give the same result. Read another file or part (`from`), change the file with edit_file, or answer with what you know.',
    })
  })

  test('that failed is answered as a failure', () => {
    const failed: Step = { ...read('a.ts'), ok: false, code: 'failed', text: 'no such thing' }

    expect(verdict(traceOf([failed, failed]), failed)).toEqual({
      action: 'answer',
      ok: false,
      text: 'no such thing\n[note] The same call failed in the same way before and was not run again. Change its arguments or take another step.',
    })
  })

  test('is really made again while a job runs', () => {
    const many = Array.from({ length: 12 }, () => read('a.ts'))

    expect(verdict(traceOf(many), { ...read('a.ts'), waiting: true })).toEqual({ action: 'run' })
  })

  test('that adds the same text to the end of a file is work', () => {
    const append: Step = {
      name: 'write_file',
      key: 'write_file {"append":true,"content":"x","path":"log"}',
      wrote: true,
    }
    const other: Step = {
      name: 'write_file',
      key: 'write_file {"append":true,"content":"y","path":"log"}',
      wrote: true,
    }

    expect(verdict(traceOf([append, other, append, other]), append)).toEqual({ action: 'run' })
  })

  test('is answered with the head and tail of a long result', () => {
    const long = read('a.ts', Array.from({ length: 900 }, (_, index) => `line ${index}`).join('\n'))
    const judged = verdict(traceOf([long, long]), long)

    expect(judged.action === 'answer' && judged.text.length < 2300 && judged.text.includes('line 899')).toBe(
      true,
    )
  })

  test('counts when only the time it took differs', () => {
    const steps = Array.from({ length: 9 }, (_, index) =>
      red(`1 failed\nDuration ${index * 17}ms at 12:0${index}:11`),
    )

    expect(play(steps)).toEqual(['run', 'run', 'answer', 'refuse', 'stop'])
  })

  test('counts for a write that only says the same again', () => {
    expect(play(cycle(9, edit('x')))).toEqual(['run', 'run', 'answer', 'refuse', 'stop'])
  })

  test('counts for an edit that hit once and misses ever after', () => {
    const missed: Step = { name: 'edit_file', key: 'x', path: 'a.ts', code: 'no-match', text: 'not found' }

    expect(play([edit('x'), ...cycle(8, missed)])).toEqual(['run', 'run', 'answer', 'refuse', 'stop'])
  })

  test('counts for a polling tool when nothing changes', () => {
    const poll: Step = { name: 'job_output', polling: true, text: 'job-1 ended' }

    expect(play(cycle(9, poll))).toEqual(['run', 'run', 'answer', 'refuse', 'stop'])
  })
})

describe('a cycle', () => {
  test('of two calls ends within eight requests', () => {
    expect(play(cycle(20, read('a.ts'), read('b.ts')))).toEqual([...ran(4), 'answer', 'refuse', 'stop'])
  })

  test('of three calls ends within eight requests', () => {
    expect(play(cycle(20, read('a.ts'), read('b.ts'), command('ok', 'ls')))).toEqual([
      ...ran(5),
      'answer',
      'refuse',
      'stop',
    ])
  })

  test('of a change and its undoing ends within eight requests', () => {
    expect(play(cycle(20, edit('x to y'), edit('y to x')))).toEqual([...ran(4), 'refuse', 'refuse', 'stop'])
  })
})

describe('a path known to be missing', () => {
  test('is refused with what exists, and then ends the run', () => {
    expect(verdict(traceOf([missing('x.ts')]), missing('x.ts'))).toEqual({
      action: 'refuse',
      text: 'Refused: x.ts is still missing. x.ts does not exist. Nearest: a.ts.',
    })
    expect(play(cycle(9, missing('x.ts')))).toEqual(['run', 'refuse', 'refuse', 'stop'])
  })

  test('may be created, and read once something was written or run', () => {
    const write: Step = { name: 'write_file', path: 'x.ts', text: 'written', wrote: true }

    expect(play([missing('x.ts'), write, read('x.ts')])).toEqual(ran(3))
    expect(play([missing('x.ts'), command('', 'touch x.ts'), read('x.ts')])).toEqual(ran(3))
  })
})

describe('one tool that keeps failing in one way', () => {
  test('is refused after three failures, gets one try after each refusal, and then ends the run', () => {
    const steps = Array.from({ length: 12 }, (_, index) => missing(`guess${index}.ts`))

    expect(play(steps)).toEqual([...ran(3), 'refuse', 'run', 'refuse', 'run', 'stop'])
  })

  test('learns what exists', () => {
    const judged = verdict(traceOf([missing('x'), missing('y'), missing('z')]), missing('q'))

    expect(judged).toEqual({
      action: 'refuse',
      text: 'Refused: read_file has failed 3 times in a row. Do not guess paths: call list_files or find_files and take one that exists. The last error was: z does not exist. Nearest: a.ts.',
    })
  })

  test('may follow the note', () => {
    expect(play([missing('x'), missing('y'), missing('z'), read('a.ts')])).toEqual(ran(4))
  })

  test('starts again after something new was found', () => {
    const list: Step = { name: 'list_files', text: 'a.ts b.ts' }

    expect(play([missing('x'), missing('y'), list, missing('z'), missing('q')])).toEqual(ran(5))
  })
})

describe('honest work runs', () => {
  const list: Step = { name: 'list_files', text: 'a.ts' }
  const cases: { readonly [name: string]: readonly Step[] } = {
    'edit, red test, edit, red test': Array.from({ length: 8 }, (_, index) => [
      edit(`e${index}`),
      red('1 failed'),
    ]).flat(),
    'reading a file again after each edit': Array.from({ length: 8 }, (_, index) => [
      edit(`e${index}`),
      read('a.ts'),
    ]).flat(),
    'changes by commands, with the same red test': Array.from({ length: 6 }, (_, index) => [
      command('', `sed -i s/a/b${index}/ a.ts`),
      red('1 failed'),
    ]).flat(),
    'paging through a file': Array.from({ length: 12 }, (_, index) => ({
      ...read('a.ts', `page ${index}`),
      key: `from ${index}`,
    })),
    'polling a job that goes on': Array.from({ length: 12 }, (_, index) => ({
      name: 'job_output',
      polling: true,
      text: `running for ${index} s`,
    })),
    'listing between reads of different files': Array.from({ length: 8 }, (_, index) => [
      list,
      read(`${index}.ts`),
    ]).flat(),
    'different commands that fail differently': Array.from({ length: 9 }, (_, index) =>
      red(`error ${index}`, `try ${index}`),
    ),
    'greps that find nothing': Array.from({ length: 9 }, (_, index) => red('', `grep x${index}`)),
    'reading again after each different missed edit': Array.from({ length: 5 }, (_, index) => [
      read('a.ts'),
      {
        name: 'edit_file',
        key: `m${index}`,
        path: 'a.ts',
        code: 'no-match',
        text: `not found ${index}`,
      } as const,
    ]).flat(),
    'errors of python': Array.from(
      { length: 6 },
      (_, index) => ({ name: 'python', key: `p${index}`, code: 'failed', text: 'NameError' }) as const,
    ),
    'an edit made again after it was undone once': [
      edit('x to y'),
      red('1 failed'),
      edit('y to x'),
      edit('x to y'),
    ],
  }

  for (const [name, steps] of Object.entries(cases)) {
    test(name, () => {
      expect(play(steps)).toEqual(ran(steps.length))
    })
  }

  test('reading again what compaction took away', () => {
    const files = [read('a.ts'), read('b.ts'), read('c.ts')]

    expect(play([...files, ...files, ...files], [4, 7])).toEqual(ran(9))
  })

  test('the same call three times in one turn', () => {
    const trace = traceOf([
      { ...read('a.ts'), turn: 1 },
      { ...read('a.ts'), turn: 1 },
    ] as Sketch[])

    expect(verdict(trace, read('a.ts'))).toEqual({ action: 'run' })
  })
})

describe('one reply that makes a call over and over', () => {
  const now = (...steps: readonly Step[]): Trace =>
    traceOf(
      steps.map((step) => ({ ...step, turn: 4 })),
      { turns: 4 },
    )
  const judge = (trace: Trace, { name, key = name }: Step) =>
    judgeRepeat(trace, { name, key, polling: false }).action

  test('gets it run twice, then answered', () => {
    const test = command('red')

    expect(judge(now(test), test)).toBe('run')
    expect(judge(now(test, test), test)).toBe('answer')
    expect(judge(now(test, command('a', 'ls'), test, command('a', 'ls')), test)).toBe('answer')
  })

  test('may check after each of its own edits, and look at what changes', () => {
    const test = command('red')

    expect(judge(now(test, edit('1'), test, edit('2')), test)).toBe('run')
    expect(judge(now(command('1 left'), command('0 left')), test)).toBe('run')
  })
})

test('two commands in turns end although each prints how long it took', () => {
  const steps = Array.from({ length: 30 }, (_, index) =>
    index % 2 === 0 ? red(`1 failed in ${index}.5 s`) : red(`2 problems (${index} ms)`, 'npm run lint'),
  )

  expect(play(steps).at(-1)).toBe('stop')
})
