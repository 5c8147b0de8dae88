/** The first five minutes with a server: no flag but --base-url. Each row is a server that behaves in another way. */
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { covey, coveyProcess } from '../support/covey.ts'
import { type EverydayOptions, startEveryday } from '../support/model-server/everyday.ts'
import { tempProject } from '../support/project.ts'
import { emptyHome } from '../support/run.ts'

/** A program of the system, not of a package. */
const OPENSSL = 'openssl'

async function serve(options: EverydayOptions = {}) {
  const server = await startEveryday(options)
  onTestFinished(() => server.close())
  return server
}

async function configured(toml: string): Promise<NodeJS.ProcessEnv> {
  const env = await emptyHome()
  const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.toml'), `[router]\ndiscover = false\n${toml}`)
  return env
}

const ask = async (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  covey([...args, 'say hi'], { cwd: await tempProject(), env: { ...(await emptyHome()), ...env } })

describe('covey --base-url URL', () => {
  test('as a process: the only model of the server answers', async () => {
    const server = await serve()
    const options = { cwd: await tempProject(), env: await emptyHome() }

    const { code, out } = await coveyProcess(['--base-url', server.origin, 'say hi'], options)

    expect([code, out]).toEqual([0, 'Hello from the server.\n'])
    expect(server.asked).toEqual(['heron-7b'])
  })

  test.each<[string, EverydayOptions, string]>([
    ['an address without /v1', {}, ''],
    ['an address with /v1/', {}, '/v1/'],
    ['the address of a route', {}, '/v1/chat/completions'],
    ['an API at the root', { prefix: '' }, ''],
    ['an API at the root, asked with /v1', { prefix: '' }, '/v1'],
    ['an API below another path', { prefix: '/team/v1' }, '/team'],
    ['a model for embeddings beside it', { models: ['nomic-embed-text', 'heron-7b'] }, ''],
  ])('%s is enough', async (_, options, path) => {
    const server = await serve(options)

    const { code, out } = await ask(['--base-url', server.origin + path])

    expect([code, out]).toEqual([0, 'Hello from the server.\n'])
    expect(server.asked).toEqual(['heron-7b'])
  })

  test('several models are listed with the command to type', async () => {
    const server = await serve({ models: ['heron-7b', 'kite 3b'] })

    const { code, err } = await ask(['--base-url', server.origin])

    expect([code, err]).toEqual([
      2,
      `covey: ${server.origin}/v1 has 2 models. Choose one:\n` +
        `  covey --base-url ${server.origin}/v1 --model heron-7b\n` +
        `  covey --base-url ${server.origin}/v1 --model 'kite 3b'\n`,
    ])
  })

  test('no model at all is an error with the next step', async () => {
    const server = await serve({ models: [] })

    const { code, err } = await ask(['--base-url', server.origin])

    expect([code, err]).toEqual([
      1,
      `covey: ${server.origin}/v1 has no model that can chat: its list of models is empty. ` +
        'Load a model there (Ollama: ollama pull NAME), then try again.\n',
    ])
  })

  test('401 names the variable to set, and the key in it is used', async () => {
    const server = await serve({ key: 'right-key' })

    const without = await ask(['--base-url', server.origin])
    const wrong = await ask(['--base-url', server.origin, '--api-key-env', 'MINE'], { MINE: 'wrong-key' })
    const right = await ask(['--base-url', server.origin], { COVEY_API_KEY: 'right-key' })

    expect([without.code, without.err]).toEqual([
      1,
      `covey: ${server.origin}/v1/models answered 401: Missing or invalid API key. The server wants a key and none was ` +
        'sent. Set it: export COVEY_API_KEY=KEY, or name another variable with --api-key-env NAME; for an arm of ' +
        'config.toml set `api_key`.\n',
    ])
    expect(wrong.err).toContain('The server refused the key in MINE. Correct it: export MINE=KEY\n')
    expect(right.code).toBe(0)
  })

  test('a key of OpenAI goes to no other host', async () => {
    const server = await serve({ key: 'sk-openai-key' })

    const { err } = await ask(['--base-url', server.origin], { OPENAI_API_KEY: 'sk-openai-key' })

    expect(err).toContain('none was sent')
  })

  test('a web page is not an API', async () => {
    const server = await serve({ html: true })

    const { code, err } = await ask(['--base-url', server.origin])

    expect(code).toBe(1)
    expect(err).toContain(
      `no OpenAI-compatible API was found at ${server.origin}: ${server.origin}/v1/models did not answer with JSON, ` +
        `${server.origin}/models did not answer with JSON. Use the address of the API`,
    )
  })

  test('where nothing listens the error comes after two tries', async () => {
    const socket = createServer().listen(0, '127.0.0.1')
    await once(socket, 'listening')
    const { port } = socket.address() as AddressInfo
    await new Promise((resolve) => socket.close(resolve))

    const { code, err } = await ask(['--base-url', `http://127.0.0.1:${port}`])
    const named = await ask(['--base-url', `http://127.0.0.1:${port}/v1`, '--model', 'x'])

    const text =
      `cannot connect to http://127.0.0.1:${port}/v1: connection refused: no program listens on port ${port}. Start the ` +
      'server or correct the address; `covey doctor` lists the servers that answer on this machine.'
    expect([code, err]).toEqual([1, `covey: ${text}\n`])
    expect(named.err).toContain(`covey: x: ${text} Tried 2 times in 1 s.\n`)
  })

  test('a port that speaks another protocol is named', async () => {
    const socket = createServer((client) => void client.end('SSH-2.0-OpenSSH_9\r\n')).listen(0, '127.0.0.1')
    onTestFinished(() => void socket.close())
    await once(socket, 'listening')
    const { port } = socket.address() as AddressInfo

    const { err } = await ask(['--base-url', `http://127.0.0.1:${port}`])

    expect(err).toContain(
      `what listens on port ${port} does not answer with HTTP (HPE_INVALID). Check the port`,
    )
  })

  test('a certificate that is not trusted is named with the variable that helps', async () => {
    const folder = await tempProject()
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subject = ['-days', '2', '-subj', '/CN=localhost', '-keyout', key, '-out', cert]
    execFileSync(OPENSSL, ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject], {
      stdio: 'ignore',
    })
    const tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') }
    const server = await serve({ tls })
    const plain = await serve()

    const untrusted = await ask(['--base-url', server.origin])
    const noTls = await ask(['--base-url', plain.origin.replace('http:', 'https:')])

    expect(untrusted.err).toContain('its TLS certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)')
    expect(untrusted.err).toContain('NODE_EXTRA_CA_CERTS=FILE.pem')
    expect(noTls.err).toContain('does not answer with TLS (ERR_SSL_WRONG_VERSION_NUMBER). Use http://')
  })
})

describe('--base-url of models, providers and doctor', () => {
  const run = async (args: readonly string[]) =>
    covey(args, { cwd: await tempProject(), env: await emptyHome() })

  test('lists what that server offers, with the command to type', async () => {
    const server = await serve({ models: ['heron-7b', 'kite', 'nomic-embed-text'] })

    const models = await run(['models', '--base-url', server.origin])
    const providers = await run(['providers', '--base-url', server.origin])

    expect(models.code).toBe(0)
    expect(models.out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      `heron-7b server server covey --base-url ${server.origin}/v1 --model heron-7b`,
      `kite server server covey --base-url ${server.origin}/v1 --model kite`,
      'nomic-embed-text server server embeddings, for memory and search_code',
      '',
    ])
    expect(providers.out).toMatch(/^✓ server .* offers 3 models\n$/)
  })

  test('of a single model the address is enough, for every command', async () => {
    const server = await serve()

    const models = await run(['models', '--base-url', server.origin])
    const doctor = await run(['doctor', '--base-url', server.origin])
    const probe = await run(['models', 'probe', '--base-url', server.origin])

    expect(models.out).toMatch(new RegExp(`covey --base-url ${server.origin}/v1\n$`))
    expect(doctor.out).toContain(`offers one model; use it with: covey --base-url ${server.origin}/v1\n`)
    expect(probe.out).toContain('heron-7b')
  })

  test('a server that does not answer is an error', async () => {
    const { code, out } = await run(['models', '--base-url', 'http://127.0.0.1:9'])

    expect(code).toBe(1)
    expect(out).toContain('✗ server  cannot connect to http://127.0.0.1:9/v1: connection refused')
  })

  test('a flag before the command is its own, or refused', async () => {
    const server = await serve()

    const models = await run(['--base-url', server.origin, 'models'])
    const sessions = await run(['--base-url', server.origin, 'sessions'])

    expect(models.out).toContain('heron-7b')
    expect([sessions.code, sessions.err.split('\n')[0]]).toEqual([
      2,
      "covey: covey sessions has no option '--base-url'",
    ])
  })
})

describe('[arms.x] without a model', () => {
  const run = (env: NodeJS.ProcessEnv, args: readonly string[]) =>
    tempProject().then((cwd) => covey(args, { cwd, env }))

  test('takes the only model of its server', async () => {
    const server = await serve()
    const env = await configured(`[arms.mine]\nbase_url = "${server.origin}"\n`)

    const { code } = await run(env, ['say hi'])

    expect([code, server.asked]).toEqual([0, ['heron-7b']])
  })

  test('takes the model that is called like the arm', async () => {
    const server = await serve({ models: ['heron-7b', 'kite'] })
    const env = await configured(`[arms.kite]\nbase_url = "${server.origin}"\n`)

    await run(env, ['say hi'])

    expect(server.asked).toEqual(['kite'])
  })

  test('of several says what to write into the file', async () => {
    const server = await serve({ models: ['heron-7b', 'kite'] })
    const env = await configured(`[arms.mine]\nbase_url = "${server.origin}"\n`)

    const { err } = await run(env, ['say hi'])

    expect(err).toBe(
      `covey: mine: ${server.origin}/v1 has 2 models. Name one under [arms.mine]:\n` +
        '  model = "heron-7b"\n  model = "kite"\n',
    )
  })

  test('that does not answer leaves the others in use', async () => {
    const server = await serve()
    const dead = `[arms.dead]\nbase_url = "http://127.0.0.1:9"\n`
    const env = await configured(`${dead}[arms.mine]\nbase_url = "${server.origin}"\n`)

    const { code, err } = await run(env, ['say hi'])

    expect(code).toBe(0)
    expect(err).toContain('The arm "dead" is not used now. dead: cannot connect to http://127.0.0.1:9/v1')
  })

  test('providers, doctor and models agree, and tick nothing that is dead', async () => {
    const server = await serve({ models: ['heron-7b', 'kite'] })
    const dead = `[arms.dead]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "x"\n`
    const env = await configured(`${dead}[arms.mine]\nbase_url = "${server.origin}"\nmodel = "kite"\n`)

    const providers = await run(env, ['providers'])
    const doctor = await run(env, ['doctor'])
    const models = await run(env, ['models'])

    const why = ' cannot connect to http://127.0.0.1:9/v1: connection refused'
    expect(providers.out).toMatch(/^✓ mine /m)
    expect(providers.out).toMatch(new RegExp(`^✗ dead .*${why}`, 'm'))
    expect(doctor.out).toMatch(/^✓ mine .*use it with: covey --model mine$/m)
    expect(doctor.out).toMatch(new RegExp(`^✗ dead .*${why}`, 'm'))
    expect(doctor.code).toBe(1)
    expect(models.out).toMatch(/^kite +server +mine +covey --model mine$/m)
    expect(models.out).toContain(`covey --base-url ${server.origin}/v1 --model heron-7b\n`)
    expect(models.out).toMatch(new RegExp(`^✗ dead .*${why}`, 'm'))
  })

  test.each([
    ['an error', { status: 500, vector: [] }, 'no'],
    ['an empty vector', { status: 200, vector: [] }, 'no'],
    ['zeros', { status: 200, vector: [0, 0, 0] }, 'no'],
    ['a vector', { status: 200, vector: [0.5, 0.1] }, 'yes'],
  ])('an embeddings route that answers with %s', async (_, embedding, shown) => {
    const server = await serve({ embedding })

    const { out } = await run(await emptyHome(), ['models', 'probe', server.origin])

    expect(out).toMatch(new RegExp(`^ {2}embeddings +${shown} +a text to embed$`, 'm'))
  })
})

test('SERVER/MODEL, as covey models shows it, can be used by that name', async () => {
  const server = await serve({ models: ['heron-7b', 'kite'] })
  const env = await emptyHome()
  const folder = join(env['XDG_CONFIG_HOME'] ?? '', 'covey')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.toml'), `[router.servers]\nlab = "${server.origin}/v1"\n`)
  const options = { cwd: await tempProject(), env }

  const models = await covey(['models'], options)
  const answer = await covey(['--model', 'lab/kite', 'say hi'], options)

  expect(models.out).toMatch(/^lab\/kite +server +lab +covey --model lab\/kite$/m)
  expect([answer.code, server.asked]).toEqual([0, ['kite']])
})

test('an imported model is found by its name, with and without .gguf', async () => {
  const env = await emptyHome()
  const cwd = await tempProject()
  const file = join(cwd, 'tiny-heron.gguf')
  await copyFile(new URL('../../models/covey-nano.gguf', import.meta.url), file)
  const imported = await covey(['models', 'import', file], { cwd, env })
  await rm(file)

  const byName = await covey(['--model', 'tiny-heron', '--max-turns', '1', 'say hi'], { cwd, env })
  const byFile = await covey(['--model', 'tiny-heron.gguf', '--max-turns', '1', 'say hi'], { cwd, env })
  const unknown = await covey(['--model', 'tiny-crane', 'say hi'], { cwd, env })

  expect(imported.out).toContain('Use it with: covey --model tiny-heron\n')
  expect([byName.code, byFile.code]).not.toContain(2)
  expect([unknown.code, unknown.err]).toEqual([
    2,
    'covey: No arm is called "tiny-crane" and none is configured; add [arms.tiny-crane] to config.toml. No model on this ' +
      'machine has that name either; `covey models` lists them.\n',
  ])
})
