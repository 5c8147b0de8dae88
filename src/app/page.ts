/** For `covey web`: where the server of this data folder is, and a code that opens its page. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { codesIn } from '../server/web/codes.ts'

export const addressFileOf = (dataFolder: string): string => join(dataFolder, 'serve', 'address.json')

const AddressFile = z.object({ url: z.url(), pid: z.int().positive() })
const PATIENCE_MS = 2_000

/** Undefined where no server runs, or one that was killed left its address behind. */
export async function findServer(dataFolder: string): Promise<string | undefined> {
  try {
    const { url, pid } = AddressFile.parse(JSON.parse(await readFile(addressFileOf(dataFolder), 'utf8')))
    process.kill(pid, 0)
    const response = await fetch(`${url}/health`, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return response.ok ? url : undefined
  } catch {
    return undefined
  }
}

/** The code is in the fragment: no browser sends that to a server, or to another page as the one it came from. */
export async function pageAddress(dataFolder: string, url: string, isReadOnly: boolean): Promise<string> {
  const code = await codesIn(dataFolder).create(isReadOnly ? ['read'] : ['admin'])
  return `${url}/#code=${code}`
}
