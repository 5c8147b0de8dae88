/** Covey's own configuration, data and trust: no mode, rule or answer opens them to a tool. Pure. */
import { isInside } from '../../lib/path.ts'

/** Inside one of Covey's own folders; both absolute and resolved. */
export const isOwnPath = (path: string, folders: readonly string[]): boolean =>
  folders.some((folder) => isInside(folder, path))

/** A project's configuration of Covey: protected in every mode, but the person may say yes to one change. */
export const isOwnName = (path: string): boolean =>
  path
    .normalize('NFKC')
    .toLowerCase()
    .split(/[/\\]/)
    .some((name) => /^(?:\.covey|covey\.toml)[. ]*$/.test(name))
