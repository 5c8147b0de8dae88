/**
 * A picture from the clipboard of the desktop. A terminal hands text only to a program, so another program is asked: the one that
 * the desktop has for it. The picture becomes a file of the project, so that it can be sent again, seen by a model with tools,
 * and named in the message like every other picture.
 */
import { execFile } from 'node:child_process'
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '../protocol/error.ts'

type Source = {
  readonly argv: readonly string[]
  /** From what it prints to the bytes of a PNG. */
  decode(output: Buffer): Buffer
}

type Place = { readonly platform: NodeJS.Platform; readonly env: NodeJS.ProcessEnv }

const asIs = (output: Buffer): Buffer => output
const fromBase64 = (output: Buffer): Buffer => Buffer.from(output.toString('latin1'), 'base64')
/** `«data PNGf89504E47…»` */
const fromAppleScript = (output: Buffer): Buffer =>
  Buffer.from(/PNGf([0-9A-F]+)/.exec(output.toString('latin1'))?.[1] ?? '', 'hex')

const WAYLAND: Source = { argv: ['wl-paste', '--no-newline', '--type', 'image/png'], decode: asIs }
const X11: Source = { argv: ['xclip', '-selection', 'clipboard', '-t', 'image/png', '-o'], decode: asIs }
const MACOS: readonly Source[] = [
  { argv: ['pngpaste', '-'], decode: asIs },
  { argv: ['osascript', '-e', 'get the clipboard as «class PNGf»'], decode: fromAppleScript },
]
const WINDOWS: Source = {
  argv: [
    'powershell.exe',
    '-NoProfile',
    '-STA',
    '-Command',
    'Add-Type -AssemblyName System.Windows.Forms, System.Drawing; $i = [Windows.Forms.Clipboard]::GetImage(); if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png); [Convert]::ToBase64String($m.ToArray()) }',
  ],
  decode: fromBase64,
}

/** In the order they are tried. Under WSL the clipboard is that of Windows. */
function clipboardSources({ platform, env }: Place): readonly Source[] {
  if (platform === 'darwin') return MACOS
  if (platform === 'win32') return [WINDOWS]
  return [
    ...(env['WAYLAND_DISPLAY'] ? [WAYLAND] : []),
    ...(env['DISPLAY'] ? [X11] : []),
    ...(env['WSL_DISTRO_NAME'] ? [WINDOWS] : []),
  ]
}

/** Where the picture is now, from the folder `cwd`. Throws with what to do where there is none to be had. */
export async function savePicture(cwd: string, place: Place = process): Promise<string> {
  const sources = clipboardSources(place)
  if (sources.length === 0) throw failed(`There is no desktop here whose clipboard could be read. ${BY_PATH}`)
  const missing: string[] = []
  for (const { argv, decode } of sources) {
    const output = await run(argv, place.env)
    if (output === undefined) missing.push(argv[0] ?? '')
    else if (isPng(decode(output))) return keep(cwd, decode(output))
  }
  if (missing.length < sources.length)
    throw failed("There is no picture in the clipboard. Text is pasted with the terminal's own key.")
  throw failed(
    `A picture in the clipboard is read with ${missing.join(' or ')}, which is not installed. ${BY_PATH}`,
  )
}

const BY_PATH = 'Save the picture as a file of the project and write [Image: path].'

const failed = (message: string): AppError => new AppError('request-invalid', message)

const PNG = Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1')
const isPng = (bytes: Buffer): boolean => bytes.subarray(0, PNG.length).equals(PNG)

/** As text a picture takes up to twice its size. */
const MAX_OUTPUT = 32 * 1024 * 1024
const LIMIT_MS = 10_000

/** What it printed, nothing at all where it failed; undefined where it is not installed. */
function run(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<Buffer | undefined> {
  const options = { encoding: 'buffer', maxBuffer: MAX_OUTPUT, timeout: LIMIT_MS, env } as const
  return new Promise((resolve) => {
    execFile(program, args, options, (error, output) => {
      if (error?.code === 'ENOENT') resolve(undefined)
      else resolve(error ? Buffer.alloc(0) : output)
    })
  })
}

const FOLDER = ['.covey', 'pasted'] as const
const KEPT = 20

async function keep(cwd: string, bytes: Buffer): Promise<string> {
  let folder = cwd
  for (const part of FOLDER) {
    folder = join(folder, part)
    await mkdir(folder, { mode: 0o700 }).catch(() => undefined)
    // A link in the project must not lead what is pasted to another folder.
    if (!(await lstat(folder)).isDirectory())
      throw failed(`${folder} is not a directory; move it away, then paste again.`)
  }
  await writeFile(join(folder, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => undefined)
  const name = `${new Date()
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z$/g, '')
    .replace('T', '-')}-${process.hrtime.bigint() % 10_000n}.png`
  await writeFile(join(folder, name), bytes, { flag: 'wx', mode: 0o600 })
  await forgetOldest(folder)
  return [...FOLDER, name].join('/')
}

/** A message that was sent has its pictures in it; the files are for sending them again. */
async function forgetOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.png')).toSorted()
  for (const name of names.slice(0, -KEPT)) {
    const path = join(folder, name)
    if ((await lstat(path)).isFile()) await rm(path, { force: true })
  }
}
