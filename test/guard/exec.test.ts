import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type ClosableExec, createExec } from '../../src/guard/exec.ts'
import { tempProject } from '../support/project.ts'
import { eventually } from '../support/wait.ts'

const open: ClosableExec[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((exec) => exec.close()))
})

function start(cwd: string, env?: Record<string, string | undefined>): ClosableExec {
  const exec = createExec({ cwd, ...(env && { env }) })
  open.push(exec)
  return exec
}

const patient = () => ({ timeoutMs: 120_000, signal: new AbortController().signal })
const hurried = () => ({ timeoutMs: 200, signal: new AbortController().signal })

/** A process that writes to `beat` for as long as it lives. */
const heart = 'while true; do date +%s%N >> beat; sleep 0.05; done'

async function isBeating(cwd: string): Promise<boolean> {
  const before = await readFile(join(cwd, 'beat'), 'utf8').catch(() => '')
  await pause(250)
  return (await readFile(join(cwd, 'beat'), 'utf8').catch(() => '')) !== before
}

describe('a command', () => {
  test('gives its output and its exit code', async () => {
    const cwd = await tempProject()

    const result = await start(cwd).shell('pwd; echo grüße; exit 3', patient())

    expect(result).toEqual({ exitCode: 3, output: `${cwd}\ngrüße\n`, timedOut: false, omittedBytes: 0 })
  })

  test('has stdout and stderr in the order they were written', async () => {
    const command = 'for i in 1 2 3; do echo out $i; echo err $i >&2; done'

    const { output } = await start(await tempProject()).shell(command, patient())

    expect(output).toBe('out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3\n')
  })

  test('finds its stdin closed and no terminal', async () => {
    const { output } = await start(await tempProject()).shell('cat; tty; echo end', patient())

    expect(output).toBe('not a tty\nend\n')
  })

  test('that does not exist says so', async () => {
    const result = await start(await tempProject()).shell('no_such_program_here', patient())

    expect(result).toMatchObject({ exitCode: 127, output: expect.stringContaining('no_such_program_here') })
  })

  test('gets no secrets, and settings for plain output', async () => {
    const env = {
      PATH: process.env['PATH'],
      MY_API_KEY: 'k',
      GITHUB_TOKEN: 't',
      DB_PASSWORD: 'p',
      DB_PASS: 'p',
      MYSQL_PWD: 'p',
      GH_PAT: 'p',
      OLDPWD: '/work',
      HARMLESS: 'yes',
    }

    const { output } = await start(await tempProject(), env).shell('env', patient())

    expect(output).not.toMatch(/MY_API_KEY|GITHUB_TOKEN|DB_PASS|MYSQL_PWD|GH_PAT/)
    expect(output).toMatch(/^OLDPWD=\/work$/m)
    expect(output).toMatch(/^HARMLESS=yes$/m)
    expect(output).toMatch(/^TERM=dumb$/m)
    expect(output).toMatch(/^GIT_PAGER=cat$/m)
  })

  test('is shown while it runs', async () => {
    const seen: string[] = []

    await start(await tempProject()).shell('echo one', { ...patient(), onOutput: (text) => seen.push(text) })

    expect(seen.join('')).toBe('one\n')
  })

  test('is not kept waiting by a child that left its group', async () => {
    const cwd = await tempProject()

    const result = await start(cwd).shell(
      "setsid sh -c 'echo $$ > pid; exec sleep 60' & sleep 0.2; echo done",
      patient(),
    )

    process.kill(Number(await readFile(join(cwd, 'pid'), 'utf8')), 'SIGKILL')
    expect(result).toEqual({ exitCode: 0, output: 'done\n', timedOut: false, omittedBytes: 0 })
  })

  test('that waits for a person is refused', async () => {
    const exec = start(await tempProject())

    await expect(exec.shell('vim a', patient())).rejects.toThrow(/use edit_file or write_file/)
    await expect(exec.start('vim a')).rejects.toThrow(/use edit_file or write_file/)
  })
})

describe('too much output', () => {
  test('200 MB cost half a megabyte, and watchers are not flooded', async () => {
    let shown = 0
    const memory = process.memoryUsage().rss

    const result = await start(await tempProject()).shell(
      "head -c 200000000 /dev/zero | tr '\\0' 'x'; echo; echo last",
      {
        ...patient(),
        onOutput: (text) => (shown += text.length),
      },
    )

    expect(result.exitCode).toBe(0)
    expect(result.omittedBytes).toBe(200_000_006 - 512 * 1024)
    expect(result.output.length).toBeLessThan(600_000)
    expect(result.output.endsWith('x\nlast\n')).toBe(true)
    expect(shown).toBeLessThan(100_000)
    expect(process.memoryUsage().rss - memory).toBeLessThan(150 * 1024 * 1024)
  })
})

describe('cancelling', () => {
  test('ends the command and its children', async () => {
    const cwd = await tempProject()
    const cancel = new AbortController()
    const running = start(cwd).shell(`(${heart}) & (${heart}) & wait`, {
      timeoutMs: 15_000,
      signal: cancel.signal,
    })
    await eventually(() => expect(existsSync(join(cwd, 'beat'))).toBe(true))

    cancel.abort()

    expect(await running).toMatchObject({ exitCode: undefined, timedOut: false })
    expect(await isBeating(cwd)).toBe(false)
  })

  test('kills what does not listen to TERM', async () => {
    const cwd = await tempProject()
    const cancel = new AbortController()
    const running = start(cwd).shell(`trap '' TERM; ${heart}`, { timeoutMs: 15_000, signal: cancel.signal })
    await eventually(() => expect(existsSync(join(cwd, 'beat'))).toBe(true))

    cancel.abort()
    await running

    expect(await isBeating(cwd)).toBe(false)
  })

  test('before the start means no start', async () => {
    const cwd = await tempProject()

    await start(cwd).shell('touch made', { timeoutMs: 15_000, signal: AbortSignal.abort() })

    expect(existsSync(join(cwd, 'made'))).toBe(false)
  })
})

describe('jobs', () => {
  test('a command at its time limit goes on as a job', async () => {
    const exec = start(await tempProject())

    const result = await exec.shell('echo early; sleep 0.6; echo late; exit 4', hurried())

    expect(result).toMatchObject({ exitCode: undefined, timedOut: true, output: 'early\n' })
    const id = result.job?.id ?? ''
    expect(exec.jobs()).toEqual([expect.objectContaining({ id, state: 'running' })])
    await eventually(() => expect(exec.jobs()[0]?.state).toBe('ended'))
    expect(await exec.poll(id)).toMatchObject({ job: { state: 'ended', exitCode: 4 }, output: 'late\n' })
  })

  test('output is given once', async () => {
    const exec = start(await tempProject())
    const { id } = await exec.start('echo hello')
    await eventually(() => expect(exec.jobs()[0]?.state).toBe('ended'))

    expect((await exec.poll(id)).output).toBe('hello\n')
    expect((await exec.poll(id)).output).toBe('')
  })

  test('what a command leaves in the background becomes a job and can be stopped', async () => {
    const cwd = await tempProject()
    const exec = start(cwd)

    const result = await exec.shell(`(${heart}) & echo started`, patient())

    expect(result).toMatchObject({ exitCode: 0, output: 'started\n', job: { state: 'running' } })
    expect(await exec.stop(result.job?.id ?? '')).toMatchObject({ state: 'ended' })
    expect(await isBeating(cwd)).toBe(false)
  })

  test('all of them end with the session', async () => {
    const cwd = await tempProject()
    const exec = start(cwd)
    await exec.start(heart)
    await eventually(() => expect(existsSync(join(cwd, 'beat'))).toBe(true))

    await exec.close()

    expect(await isBeating(cwd)).toBe(false)
  })

  test('an unknown one is named together with those there are', async () => {
    const exec = start(await tempProject())
    await expect(exec.poll('job-9')).rejects.toThrow('There are no jobs.')
    await exec.start('true')

    await expect(exec.stop('job-9')).rejects.toThrow('No job job-9; there are: job-1.')
  })

  test('there is a limit to how many run', async () => {
    const exec = start(await tempProject())
    for (let count = 0; count < 16; count++) await exec.start('sleep 20')

    await expect(exec.start('sleep 20')).rejects.toThrow(/16 jobs are running; stop one with job_stop/)
  })
})

describe('a program without a shell', () => {
  test('takes its arguments as they are', async () => {
    const result = await start(await tempProject()).program(['echo', '$HOME; ls'], patient())

    expect(result).toEqual({ exitCode: 0, output: '$HOME; ls\n', timedOut: false, omittedBytes: 0 })
  })

  test('ends at its time limit', async () => {
    const result = await start(await tempProject()).program(['sleep', '20'], hurried())

    expect(result).toMatchObject({ exitCode: undefined, timedOut: true })
  })

  test('that is not installed is named', async () => {
    const exec = start(await tempProject())

    await expect(exec.program(['no_such_program'], patient())).rejects.toMatchObject({
      code: 'tool-failed',
      message: expect.stringContaining('no_such_program could not be started'),
    })
  })
})
