/**
 * Whose processes listen on a port of this machine. Linux says so for every socket; macOS only for one's own processes
 * (`lsof` without rights shows no others); elsewhere it is unknown.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** `unknown`: something may listen there, owner unknown. */
export type Owner = number | 'unknown'

/** Several processes may share a port, and any of them may get the next connection. */
export function ownersOf(port: number, platform: NodeJS.Platform = process.platform): readonly Owner[] {
  if (platform === 'linux') return fromTables([readTable('tcp'), readTable('tcp6')], port)
  return platform === 'darwin' ? fromLsof(port) : ['unknown']
}

function readTable(name: string): string {
  try {
    return readFileSync(`/proc/net/${name}`, 'utf8')
  } catch {
    // A kernel without IPv6 has no such table.
    return ''
  }
}

const LISTENS = '0A'

/** `unknown` where no socket is listed: a rule of the firewall may lead into a container. */
export function fromTables(tables: readonly string[], port: number): readonly Owner[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0')
  const owners = tables.flatMap((table) =>
    table.split('\n').flatMap((line) => {
      const [, local = '', , state, , , , uid = ''] = line.trim().split(/\s+/)
      const [address = '', at] = local.split(':')
      return state === LISTENS && at === wanted && answersHere(address) ? [Number(uid)] : []
    }),
  )
  return owners.length > 0 ? [...new Set(owners)] : ['unknown']
}

/** Loopback or every address; IPv4 within IPv6 included. Four bytes at a time, the lowest first. */
const answersHere = (address: string): boolean =>
  /^(?:0{8}|[0-9A-F]{6}7F|0{32}|0{24}01000000|0{16}(?:0000FFFF|FFFF0000)(?:0{8}|[0-9A-F]{6}7F))$/i.test(
    address,
  )

/** Not from PATH: what it says decides who gets prompts. */
const LSOF = '/usr/sbin/lsof'

function fromLsof(port: number): readonly Owner[] {
  try {
    const text = execFileSync(LSOF, ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fu'], {
      encoding: 'utf8',
      timeout: 2_000,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const owners = [...text.matchAll(/^u(\d+)$/gm)].map(([, uid]) => Number(uid))
    return owners.length > 0 ? [...new Set(owners)] : ['unknown']
  } catch {
    return ['unknown']
  }
}
