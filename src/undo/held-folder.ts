import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'

/**
 * Acts in a folder that is held open, so that a link somebody puts in its place meanwhile leads nowhere. `folder` is free of
 * links; where the system cannot name a held folder, its path is verified and used.
 */
export async function inHeldFolder<T>(folder: string, act: (folder: string) => Promise<T>): Promise<T> {
  const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants
  const handle = await open(folder, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
  try {
    const held = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder
    if ((await realpath(held)) !== folder) throw new Error('its folder was moved meanwhile; try again')
    return await act(held)
  } finally {
    await handle.close()
  }
}
