/** The shell's terminal, as bytes in both directions. The native part is loaded when a shell starts, not before. */
import { readFileSync } from 'node:fs'
import { AppError, errorMessage } from '../protocol/error.ts'
import { createDrain } from './drain.ts'
import type { Launch } from './start.ts'

export type PtyEnd = { readonly exitCode: number; readonly signal?: number }

export type Pty = {
  readonly pid: number
  write(bytes: Buffer): void
  resize(columns: number, rows: number): void
  hangUp(): void
  /** What the shell prints waits in the kernel, and the program that prints it waits too. */
  pause(): void
  resume(): void
  /** Continues a shell that has stopped itself, as `suspend` does; false where it had not. */
  wake(): boolean
  readonly ended: Promise<PtyEnd>
}

export type PtyOptions = {
  readonly cwd: string
  readonly columns: number
  readonly rows: number
  /** The bytes are valid during the call only; keep a copy of what is kept. */
  onData(bytes: Buffer): void
}

export async function openPty({ file, args, env }: Launch, options: PtyOptions): Promise<Pty> {
  const { cwd, columns, rows, onData } = options
  const pty = await loadPty()
  const child = pty.spawn(file, [...args], {
    name: env['TERM'] ?? 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env: { ...env },
    encoding: null,
  })
  // Without an encoding the pieces are buffers, whatever the types say.
  const drain = drainOf(child)
  child.onData((data: unknown) => onData(drain(data as Buffer)))
  return {
    pid: child.pid,
    write: (bytes) => child.write(bytes as unknown as string),
    resize(newColumns, newRows) {
      try {
        child.resize(Math.max(1, newColumns), Math.max(1, newRows))
      } catch {
        // It has ended in the meantime.
      }
    },
    hangUp: () => child.kill('SIGHUP'),
    pause: () => child.pause(),
    resume: () => child.resume(),
    wake() {
      const isStopped = stateOf(child.pid) === 'T'
      if (isStopped) process.kill(child.pid, 'SIGCONT')
      return isStopped
    },
    ended: new Promise((resolve) =>
      child.onExit(({ exitCode, signal }) => resolve({ exitCode, ...(signal ? { signal } : {}) })),
    ),
  }
}

/** Only where the descriptor is known not to block; elsewhere each piece as the stream gives it. */
function drainOf(child: object): (piece: Buffer) => Buffer {
  // Neither is in the types of the package.
  const { fd, _socket: stream } = child as {
    readonly fd?: number
    readonly _socket?: { readonly readableLength?: number }
  }
  if (fd === undefined || !isNonBlocking(fd)) return (piece) => piece
  return createDrain({ fd, isInOrder: () => stream?.readableLength === 0 })
}

const O_NONBLOCK = 0o4000

function isNonBlocking(fd: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'))?.[1]
    return (Number.parseInt(flags ?? '0', 8) & O_NONBLOCK) !== 0
  } catch {
    return false
  }
}

/** As /proc has it; empty where there is none. */
function stateOf(pid: number): string {
  try {
    return /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.[1] ?? ''
  } catch {
    return ''
  }
}

async function loadPty() {
  try {
    const loaded = await import('@lydell/node-pty')
    return loaded.default ?? loaded
  } catch (error) {
    throw new AppError(
      'config-invalid',
      `covey shell needs the package @lydell/node-pty-${process.platform}-${process.arch}, which is not installed (${errorMessage(error).split('\n', 1)[0]}). Install again without --omit=optional, or use covey shell --plain.`,
    )
  }
}
