/**
 * The built program itself against real servers: found on their default ports without a flag, asked, interrupted, and
 * left alone by a server that is killed in the middle of a run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { coveyProcess, type CoveyRun, type ProcessOptions } from '../support/covey.ts'
import { coveyProgram } from '../support/program.ts'
import { tempProject } from '../support/project.ts'
import type { RealServer } from '../../scripts/real/server.ts'
import {
  crashInReply,
  getJson,
  isFree,
  llamaServer,
  ollama,
  seen,
  startLlama,
  startOllama,
  untilIdle,
  weightsHere,
  whyNot,
} from './support.ts'

const [weights] = weightsHere('chat')
const LLAMA_PORT = 8080
const OLLAMA_PORT = 11434

/** Why it is skipped; undefined where it runs. */
async function problem(program: string | undefined, name: string, port: number): Promise<string | undefined> {
  if (program === undefined || weights === undefined) return whyNot(program, name)
  return (await isFree(port)) ? undefined : ` (skipped: something listens on port ${port})`
}

const llamaProblem = await problem(llamaServer, 'llama-server', LLAMA_PORT)
const ollamaProblem = await problem(ollama, 'ollama', OLLAMA_PORT)

const EXPLAIN = 'Explain in two sentences why herons stand on one leg, considering heat loss.'

type Line = {
  readonly type: string
  readonly arm?: string
  readonly reason?: string
  readonly window?: number
  readonly why?: string
}

const linesOf = ({ out }: CoveyRun): readonly Line[] =>
  out.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Line] : []))

async function place(): Promise<Pick<ProcessOptions, 'cwd' | 'env'>> {
  const cwd = await tempProject({ 'README.md': '# Herons\n', 'notes.txt': 'They stand on one leg.\n' })
  return { cwd, env: { PATH: process.env['PATH'], HOME: await tempProject() } }
}

test('what is tested is the built program', () => {
  expect(coveyProgram).toEqual([expect.stringMatching(/[\\/]dist[\\/]main\.js$/)])
})

describe.skipIf(llamaProblem !== undefined)(
  `covey and llama-server on its own port${llamaProblem ?? ''}`,
  () => {
    const column = `llama-server, ${weights?.name}`
    const id = `llamacpp/${weights?.file}`
    let server: RealServer
    const start = () =>
      startLlama({ file: weights?.file ?? '' }, ['--ctx-size', '8192', '--parallel', '1'], {
        port: LLAMA_PORT,
      })
    beforeAll(async () => {
      server = await start()
    })
    afterAll(() => server?.stop())

    test('providers and models name it, with a command that works', async () => {
      const here = await place()

      const providers = await coveyProcess(['providers'], here)
      const models = await coveyProcess(['models'], here)
      const named = await coveyProcess(['--model', id, '--json', 'Say hello.'], here)

      expect(providers.out).toContain('llamacpp ')
      expect(models.out).toContain(`covey --model ${id}`)
      expect(linesOf(named).findLast(({ type }) => type === 'run-end')?.reason).toBe('answered')
      seen(column, 'listed by `covey models`', 'yes, by its file name')
    })

    test('it is found and asked without a flag', async () => {
      const run = await coveyProcess(['--json', EXPLAIN], await place())

      const lines = linesOf(run)
      expect(run.code).toBe(0)
      expect(lines.find(({ type }) => type === 'routing')).toMatchObject({ arm: id, window: 8_192 })
      expect(lines.at(-1)).toMatchObject({ type: 'run-end', reason: 'answered' })
      seen(column, 'found without a flag', 'yes; the built program answered')
    })

    test('an interrupt ends the run and frees the slot', async () => {
      let isStopped = false
      const run = await coveyProcess(
        ['--json', 'Tell a very long story about a heron, with many chapters.'],
        {
          ...(await place()),
          onOut(text, kill) {
            if (isStopped || !text.includes('"text-delta"')) return
            isStopped = true
            kill('SIGINT')
          },
        },
      )

      const ms = await untilIdle(server.url)
      expect(linesOf(run).at(-1)).toMatchObject({ type: 'run-end', reason: 'cancelled' })
      expect(ms).toBeLessThan(5_000)
      seen(column, 'interrupt of the program', 'run ends as cancelled, slot free')
    })

    test('two programs on one slot are both answered', async () => {
      const runs = await Promise.all(
        [1, 2].map(async () => coveyProcess(['--json', '--model', id, 'Say hello.'], await place())),
      )

      expect(runs.map((run) => linesOf(run).at(-1)?.reason)).toEqual(['answered', 'answered'])
      seen(column, 'two programs, one slot', 'both answered')
    })

    test('a server that is killed in a reply and started again finishes the run', async () => {
      const crash = crashInReply(
        () => server,
        async () => void (server = await start()),
      )
      const run = await coveyProcess(['--json', '--model', id, EXPLAIN], { ...(await place()), ...crash })
      await crash.over()

      expect(run.code).toBe(0)
      expect(linesOf(run).at(-1)).toMatchObject({ type: 'run-end', reason: 'answered' })
      seen(column, 'killed in a run of the program', 'waited for, run answered')
    })
  },
)

describe.skipIf(ollamaProblem !== undefined)(`covey and Ollama on its own port${ollamaProblem ?? ''}`, () => {
  let server: RealServer
  let column = ''
  beforeAll(async () => {
    server = await startOllama(weightsHere('chat', 'embedding'), OLLAMA_PORT)
    const { version } = (await getJson(`${server.url}/api/version`)) as { version: string }
    column = `Ollama ${version}, ${weights?.name}`
  })
  afterAll(() => server?.stop())

  test('it is found and asked without a flag', async () => {
    const run = await coveyProcess(['--json', EXPLAIN], await place())

    const lines = linesOf(run)
    expect(run.code).toBe(0)
    expect(lines.find(({ type }) => type === 'routing')?.arm).toBe(`ollama/${weights?.name}:latest`)
    expect(lines.at(-1)).toMatchObject({ type: 'run-end', reason: 'answered' })
    seen(column, 'found without a flag', 'yes; the built program answered')
  })

  test('providers and models name it', async () => {
    const here = await place()

    const providers = await coveyProcess(['providers'], here)
    const models = await coveyProcess(['models'], here)

    expect(providers.out).toContain('ollama ')
    expect(models.out).toContain(`covey --model ollama/${weights?.name}:latest`)
    for (const { name } of weightsHere('embedding'))
      expect(models.out).toMatch(new RegExp(`ollama/${name}:latest +server +ollama +embeddings`))
    seen(column, 'listed by `covey models`', 'yes, embedding models as such')
  })
})
