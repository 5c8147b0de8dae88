/**
 * Gets one package of the npm registry without installing anything else: npm says where it lies and what its hash is, so that
 * a mirror, a proxy or a private registry set in `.npmrc` counts here too; the file itself is fetched by `download.ts`, which
 * goes on where an earlier try stopped. It is in its folder whole or not at all.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { z } from 'zod'
import { errorMessage, AppError } from '../protocol/error.ts'
import { readJson } from '../lib/json.ts'
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
  const { name, version, folder, offline, onProgress } = request
  if (offline) {
    throw new AppError(
      'offline',
      `${name} was not fetched: covey is offline. Run the command without --offline, COVEY_OFFLINE=1 and \`offline\` in config.toml.`,
    )
  }
  const { tarball, integrity } = await askRegistry(request, signal)
  const path = join(dirname(folder), `${folder.slice(dirname(folder).length + 1)}-${version}.tgz`)
  await mkdir(dirname(folder), { recursive: true })
  await download(
    { url: new URL(tarball), path, onProgress, verify: (file) => requireIntegrity(file, integrity, name) },
    signal,
  )
  await unpack(path, folder)
  await rm(path, { force: true })
}

const Dist = z.object({ tarball: z.url(), integrity: z.string().regex(/^sha512-/) })

async function askRegistry(
  { name, version, env }: PackageRequest,
  signal: AbortSignal,
): Promise<z.infer<typeof Dist>> {
  const isWindows = process.platform === 'win32'
  const npm = isWindows ? 'npm.cmd' : 'npm'
  const args = ['view', `${name}@${version}`, 'dist', '--json']
  try {
    // A .cmd file needs a shell; none of the arguments comes from outside.
    const { stdout } = await promisify(execFile)(npm, args, { env, signal, shell: isWindows })
    const answer = readJson(stdout)
    return Dist.parse(answer.ok ? answer.value : undefined)
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    const why = isMissing ? 'npm is not on PATH' : firstLine(error)
    throw new AppError(
      'model-unavailable',
      `${name} ${version} cannot be found: ${why}. Check \`npm config get registry\`, then try: npm view ${name}@${version}`,
      { cause: error },
    )
  }
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
