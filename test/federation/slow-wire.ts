/**
 * A wire that is slow without the kernel's help: the machine's end leaves the bridge, and a program stands between it and a
 * new pair of ends. What was under way at that moment is lost, as on any wire; connections outlive it.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export const IP = 'ip'
const PROGRAM = fileURLToPath(new URL('slow-wire.py', import.meta.url))
const RAW_SOCKET = 'import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW)'

/** Why a wire cannot be made slow here, if it cannot. */
export function whyNoSlowWire(): string | undefined {
  if (process.platform !== 'linux') return 'only Linux hands out whole frames'
  const tried = spawnSync('python3', ['-c', RAW_SOCKET])
  if (tried.error) return 'python3 is missing'
  return tried.status === 0 ? undefined : 'python3 gets no raw socket here'
}

export type Wire = { readonly end: string; readonly bridge: string }

/** Every frame takes so long in each direction, from now until the function that comes back is called. */
export async function slowDown({ end, bridge }: Wire, ms: number): Promise<() => Promise<void>> {
  const [near, far] = [`${end}s`, `${end}b`]
  ip('link', 'set', end, 'nomaster')
  ip('link', 'add', near, 'type', 'veth', 'peer', 'name', far)
  ip('link', 'set', near, 'addrgenmode', 'none', 'up')
  ip('link', 'set', far, 'addrgenmode', 'none', 'master', bridge, 'up')
  const program = spawn('python3', [PROGRAM, end, near, `${ms}`], { stdio: ['pipe', 'pipe', 'inherit'] })
  const closed = once(program, 'close')
  await Promise.race([
    once(program.stdout, 'data'),
    closed.then(([code]) => {
      throw new Error(`slow-wire.py ended with ${code}`)
    }),
  ])
  return async () => {
    program.stdin.end()
    await closed
    ip('link', 'del', near)
    ip('link', 'set', end, 'master', bridge)
  }
}

export const ip = (...words: string[]): void => void execFileSync(IP, words, { stdio: 'pipe' })
