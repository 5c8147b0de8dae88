/** `covey engine` against a registry on this machine that has a small package with an addon that is none. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, readdir } from 'node:fs/promises'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { engineCommand } from '../../src/cli/engine.ts'
import { addedBuilds, engineVersion } from '../../src/embedded/builds/find.ts'
import { tempProject } from '../support/project.ts'

const NAME = '@node-llama-cpp/linux-x64-vulkan'
const version = engineVersion()
const isAddable = process.platform === 'linux' && process.arch === 'x64'

let registry: Server
let address = ''
let tarball: Buffer
let announced: string
const asked: string[] = []
/** The token it wants to see. */
let wanted: string | undefined
/** Where it says it is. */
let announcedAt: string | undefined

beforeAll(async () => {
  const folder = await tempProject({
    'package/package.json': JSON.stringify({ name: NAME, version }),
    'package/bins/linux-x64-vulkan/llama-addon.node': 'not an addon',
    'package/bins/linux-x64-vulkan/_nlcBuildMetadata.json': '{}',
  })
  await promisify(execFile)('tar', ['-czf', join(folder, 'a.tgz'), '-C', folder, 'package'])
  tarball = await readFile(join(folder, 'a.tgz'))
  announced = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  registry = createServer((request, response) => {
    const url = decodeURIComponent(request.url ?? '')
    asked.push(url)
    if (wanted !== undefined && request.headers.authorization !== `Bearer ${wanted}`) {
      response.statusCode = 401
      return void response.end('{}')
    }
    if (url.endsWith('.tgz')) return void response.end(tarball)
    const dist = { tarball: `${announcedAt ?? address}/${NAME}/-/a.tgz`, integrity: announced }
    const manifest = { name: NAME, version, dist }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ name: NAME, 'dist-tags': { latest: version }, versions: { [version]: manifest } }),
    )
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
})

afterAll(() => {
  registry.closeAllConnections()
  registry.close()
})

afterEach(() => {
  wanted = undefined
  announcedAt = undefined
})

async function run(
  home: string,
  args: readonly string[],
  more: Readonly<Record<string, string>> = {},
  folder = '.',
) {
  let out = ''
  let err = ''
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    npm_config_registry: address,
    npm_config_cache: join(home, 'cache'),
    ...more,
  }
  const io = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    stdin: process.stdin,
    piped: async () => undefined,
    isTty: false,
  }
  const { signal } = new AbortController()
  const options = args.includes('--offline') ? { offline: true } : {}
  const words = args.filter((word) => !word.startsWith('--'))
  const code = await engineCommand.run({ args: words, options, io, env, cwd: join(home, folder), signal })
  return { code, out, err }
}

describe.skipIf(!isAddable)('a build of the engine (on linux x64)', () => {
  test('is fetched from the registry npm is set to, tried, shown with the reason, and removed', async () => {
    const home = await tempProject({})
    const folder = join(home, '.local/share/covey/engines/linux-x64-vulkan')

    const added = await run(home, ['add', 'vulkan'])
    const shown = await run(home, [])
    const removed = await run(home, ['rm', 'vulkan'])

    expect(added.code).toBe(0)
    expect(added.out).toContain(`vulkan is in ${folder}\nIt is not used: `)
    expect(shown.code).toBe(0)
    expect(shown.out).toMatch(/^in use +cpu \(/m)
    expect(shown.out).toMatch(/^not used vulkan: .*llama-addon\.node/m)
    expect(removed).toMatchObject({ code: 0, out: `vulkan is gone from ${folder}\n` })
    expect(await readdir(join(home, '.local/share/covey/engines'))).toEqual([])
    expect(asked.some((url) => url.endsWith('.tgz'))).toBe(true)
  })

  test('is refused when it is not what the registry announced', async () => {
    const home = await tempProject({})
    const right = announced
    announced = `sha512-${Buffer.alloc(64).toString('base64')}`

    await expect(run(home, ['add', 'vulkan'])).rejects.toThrow(
      /^@node-llama-cpp\/linux-x64-vulkan is not what the registry announced: sha512-/,
    )

    announced = right
    expect(await readdir(join(home, '.local/share/covey/engines'))).not.toContain('linux-x64-vulkan')
  })

  test('comes from a registry that wants the token of .npmrc, which is shown nowhere', async () => {
    const { host } = new URL(address)
    const home = await tempProject({ '.npmrc': `registry=${address}\n//${host}/:_authToken=right-token\n` })
    const stranger = await tempProject({
      '.npmrc': `registry=${address}\n//${host}/:_authToken=wrong-token\n`,
    })
    const registry = { npm_config_registry: '' }
    wanted = 'right-token'

    const added = await run(home, ['add', 'vulkan'], registry)
    const refused = await run(stranger, ['add', 'vulkan'], registry).catch((error: unknown) => String(error))

    expect(added.code).toBe(0)
    expect(added.out).toContain('It is not used: ')
    expect(refused).toMatch(
      /cannot be fetched: 401 Unauthorized.*The registry wants a login: run `npm login`/,
    )
    expect(JSON.stringify([added, refused])).not.toMatch(/(?:right|wrong)-token/)
  })

  test('does not come from a registry that the project names', async () => {
    const home = await tempProject({ 'project/.npmrc': 'registry=http://127.0.0.1:1\n' })

    const added = await run(home, ['add', 'vulkan'], { npm_config_userconfig: join(home, 'none') }, 'project')

    expect(added.code).toBe(0)
  })

  test('comes through the proxy that npm is set to', async () => {
    const home = await tempProject({})
    const seen: string[] = []
    const proxy = createServer((request, response) => {
      seen.push(request.url ?? '')
      const { pathname } = new URL(request.url ?? '', address)
      get(`${address}${pathname}`, (answer) => answer.pipe(response))
    })
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    const port = (proxy.address() as AddressInfo).port

    const registry = { npm_config_registry: 'http://registry.invalid', npm_config_noproxy: '' }
    announcedAt = 'http://registry.invalid'
    const added = await run(home, ['add', 'vulkan'], {
      ...registry,
      npm_config_proxy: `http://127.0.0.1:${port}`,
      npm_config_https_proxy: `http://127.0.0.1:${port}`,
    }).finally(() => proxy.close())

    expect(added.code).toBe(0)
    expect(seen).toContain(`http://registry.invalid/${NAME}/-/a.tgz`)
  })

  test('is not fetched offline', async () => {
    await expect(run(await tempProject({}), ['add', 'vulkan', '--offline'])).rejects.toThrow(
      /was not fetched: covey is offline/,
    )
  })
})

test('an unknown build is named with those that exist', async () => {
  await expect(run(await tempProject({}), ['add', 'rocm'])).rejects.toThrow(
    'there is no build "rocm"; builds to add are cuda, vulkan, cuda-ext. `covey engine` says which helps here.',
  )
})

test.skipIf(!isAddable)('the library for CUDA 12 is found beside the CUDA build', async () => {
  const folder = await tempProject({
    'linux-x64-cuda/bins/linux-x64-cuda/llama-addon.node': '',
    'linux-x64-cuda-ext/bins/linux-x64-cuda/fallback/libggml-cuda.so': '',
  })

  expect(addedBuilds(folder)).toEqual([
    {
      name: 'cuda',
      addon: join(folder, 'linux-x64-cuda/bins/linux-x64-cuda/llama-addon.node'),
      fallback: join(folder, 'linux-x64-cuda-ext/bins/linux-x64-cuda'),
    },
  ])
})
