/**
 * Gets one package of the npm registry without installing anything else: npm says where it lies and what its hash is, so that
 * a mirror, a proxy or a private registry set in `.npmrc` counts here too. The file itself is fetched by `download.ts`, which
 * goes on where an earlier try stopped; npm's own client fetches it where that needs a proxy or a login, which only npm may
 * read. It is in its folder whole or not at all.
 */
import { execFile, type ExecFileOptions } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { errorMessage, AppError } from '../protocol/error.ts'
import { isObject, readJson } from '../lib/json.ts'
import { maskUrls } from '../lib/mask-url.ts'
import { download, type DownloadProgress } from './download.ts'

export type PackageRequest = {
  readonly name: string
  readonly version: string
  /** Where its content is put. */
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly offline: boolean
  readonly onProgress: (progress: DownloadProgress) => void
}

export async function fetchPackage(request: PackageRequest, signal: AbortSignal): Promise<void> {
  const { name, version, folder, offline } = request
  if (offline) {
    throw new AppError(
      'offline',
      `${name} was not fetched: covey is offline. Run the command without --offline, COVEY_OFFLINE=1 and \`offline\` in config.toml.`,
    )
  }
  const home = dirname(folder)
  await mkdir(home, { recursive: true })
  // Not the project's: a `.npmrc` in there could name a registry of its own.
  const npm: Npm = (args) => runNpm(args, { cwd: home, env: request.env, signal })
  const [dist, isProxied] = await Promise.all([askRegistry(request, npm), usesProxy(npm)])
  const path = join(home, `${basename(folder)}-${version}.tgz`)
  const fetching = { ...request, ...dist, path, npm }
  if (isProxied || !(await fetchDirectly(fetching, signal))) await fetchByNpm(fetching)
  await unpack(path, folder)
  await rm(path, { force: true })
}

type Npm = (args: readonly string[]) => Promise<string>

async function runNpm(args: readonly string[], place: ExecFileOptions): Promise<string> {
  const isWindows = process.platform === 'win32'
  // A .cmd file needs a shell; none of the arguments comes from outside.
  const { stdout } = await promisify(execFile)(isWindows ? 'npm.cmd' : 'npm', args, {
    ...place,
    shell: isWindows,
    encoding: 'utf8',
    maxBuffer: 1 << 24,
  })
  return stdout
}

const Dist = z.object({ tarball: z.url(), integrity: z.string().regex(/^sha512-/) })

async function askRegistry({ name, version }: PackageRequest, npm: Npm): Promise<z.infer<typeof Dist>> {
  try {
    const answer = readJson(await npm(['view', `${name}@${version}`, 'dist', '--json']))
    return Dist.parse(answer.ok ? answer.value : undefined)
  } catch (error) {
    throw notFetched({ name, version }, error)
  }
}

/** npm leaves out of the list what holds a password; one that is not set is `null`. */
async function usesProxy(npm: Npm): Promise<boolean> {
  const answer = readJson(await npm(['config', 'list', '--json']).catch(() => ''))
  if (!answer.ok || !isObject(answer.value)) return false
  const { proxy, 'https-proxy': secure } = answer.value
  return proxy !== null || secure !== null
}

type Fetching = PackageRequest & z.infer<typeof Dist> & { readonly path: string; readonly npm: Npm }

/** Whether it could: a registry that wants a login refuses. */
async function fetchDirectly(
  { tarball, integrity, name, path, onProgress }: Fetching,
  signal: AbortSignal,
): Promise<boolean> {
  let hasArrived = false
  const verify = (file: string): Promise<void> => {
    hasArrived = true
    return requireIntegrity(file, integrity, name)
  }
  try {
    await download({ url: new URL(tarball), path, onProgress, verify }, signal)
    return true
  } catch (error) {
    const isRefused = error instanceof AppError && REFUSED.has(error.code) && !hasArrived
    if (!isRefused || signal.aborted) throw error
    return false
  }
}

const REFUSED: ReadonlySet<string> = new Set(['credential', 'model-unavailable'])

async function fetchByNpm({ name, version, integrity, path, npm, onProgress }: Fetching): Promise<void> {
  const beside = await mkdtemp(`${path}.new-`)
  onProgress({ stage: 'fetching', bytes: 0 })
  try {
    const wanted = ['--pack-destination', beside, '--ignore-scripts', '--silent']
    await npm(['pack', `${name}@${version}`, ...wanted]).catch((error: unknown) => {
      throw notFetched({ name, version }, error)
    })
    const [file = ''] = await readdir(beside)
    onProgress({ stage: 'verifying', bytes: (await stat(join(beside, file))).size })
    await requireIntegrity(join(beside, file), integrity, name)
    await rename(join(beside, file), path)
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}

function notFetched({ name, version }: Pick<PackageRequest, 'name' | 'version'>, error: unknown): AppError {
  const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
  const why = isMissing ? 'npm is not on PATH' : maskUrls(firstLine(error))
  const next = /\b40[13]\b/.test(why)
    ? `The registry wants a login: run \`npm login\`, or set //HOST/:_authToken in ~/.npmrc; then try`
    : 'Check `npm config get registry`, then try'
  const text = `${name} ${version} cannot be fetched: ${why}. ${next}: npm view ${name}@${version}`
  return new AppError('model-unavailable', text, { cause: error })
}

function firstLine(error: unknown): string {
  const { stderr } = error as { stderr?: string }
  const lines = (stderr ?? '').split('\n').filter((line) => /^npm (?:err!|error)/i.test(line))
  return lines.find((line) => !/\bcode\b/.test(line))?.replace(/^npm \S+ */, '') ?? errorMessage(error)
}

async function requireIntegrity(file: string, integrity: string, name: string): Promise<void> {
  const hash = createHash('sha512')
  await pipeline(createReadStream(file, { highWaterMark: 1 << 20 }), hash)
  const [wanted = ''] = integrity.split(/\s/)
  const found = `sha512-${hash.digest('base64')}`
  if (found === wanted) return
  throw new AppError(
    'model-unavailable',
    `${name} is not what the registry announced: ${found} instead of ${wanted}. Nothing was installed; try again.`,
  )
}

/** The system's tar: Windows has had one since 2018. The name of the folder inside is always `package`. */
async function unpack(path: string, folder: string): Promise<void> {
  const beside = await mkdtemp(`${folder}.new-`)
  try {
    await promisify(execFile)('tar', ['-xzf', path, '-C', beside])
    await stat(join(beside, 'package', 'package.json'))
    await rm(folder, { recursive: true, force: true })
    await rename(join(beside, 'package'), folder)
  } catch (error) {
    throw new AppError(
      'storage-failed',
      `${path} cannot be unpacked: ${errorMessage(error)}. Delete it and try again.`,
    )
  } finally {
    await rm(beside, { recursive: true, force: true })
  }
}
