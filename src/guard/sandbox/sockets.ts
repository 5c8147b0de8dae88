/** Doors of other programs that no mount can close: abstract sockets have a name, but no place in the file system. */
import { readFile } from 'node:fs/promises'

/** Whether some program of this machine listens on an abstract socket. */
export async function hasAbstractDoors(): Promise<boolean> {
  const table = await readFile('/proc/net/unix', 'utf8').catch(() => '')
  // Flag 00010000: it accepts connections. An abstract name is shown with an @ in front.
  return table.split('\n').some((line) => /^\S+\s+\S+\s+\S+\s+00010000\s.*\s@/.test(line))
}
