import { constants } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'

/** The folder was replaced while it was opened. */
export class MovedFolder extends Error {
  override readonly name = 'MovedFolder'
}

/**
 * Acts in a folder that is held open, so that a link planted in its place meanwhile leads nowhere. `folder` is free of
 * links; where the system cannot name a held folder, its path is verified and used.
 */
export async function inHeldFolder<T>(folder: string, act: (folder: string) => Promise<T>): Promise<T> {
  const { O_RDONLY, O_NOFOLLOW, O_DIRECTORY } = constants
  const handle = await open(folder, O_RDONLY | O_NOFOLLOW | O_DIRECTORY)
  try {
    const [opened, standing, where] = await Promise.all([handle.stat(), lstat(folder), realpath(folder)])
    const isSame = where === folder && opened.ino === standing.ino && opened.dev === standing.dev
    if (!isSame) throw new MovedFolder('its folder was moved meanwhile; try again')
    return await act(process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : folder)
  } finally {
    await handle.close()
  }
}
