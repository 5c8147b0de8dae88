/** Folders that hold what others wrote: packages, environments, caches. */

/** Nobody opens one of these as a project of their own. */
export const FOREIGN_FOLDERS: ReadonlySet<string> = new Set(
  'node_modules site-packages .venv venv __pycache__ .tox .cache'.split(' '),
)

/** Walked after the project itself: large, and mostly other people's. */
export const DEPENDENCY_FOLDERS: ReadonlySet<string> = new Set([...FOREIGN_FOLDERS, 'vendor', 'target'])
