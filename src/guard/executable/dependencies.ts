/** Folders that hold what others wrote: packages, environments, caches. */

/** A user does not open one of these as a project. */
export const FOREIGN_FOLDERS: ReadonlySet<string> = new Set(
  'node_modules site-packages .venv venv __pycache__ .tox .cache'.split(' '),
)

/** Walked after the project itself: large, and mostly other people's. */
export const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set([...FOREIGN_FOLDERS, 'vendor', 'target'])
