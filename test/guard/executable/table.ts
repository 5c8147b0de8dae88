/** The table as `docs/permissions.md` shows it. */
import { EXECUTABLES } from '../../../src/guard/executable/table.ts'

/** The first few names tell what is meant; the list in the code is longer. */
const SHOWN = 8

export const tableLines = (): readonly string[] =>
  EXECUTABLES.map(({ name, paths, inRepository, does, runs }) => {
    const names = paths.slice(0, SHOWN).map((path) => `\`${inRepository ? `<git folder>/${path}` : path}\``)
    const more = paths.length > SHOWN ? `, ${paths.length - SHOWN} more` : ''
    return `| ${name} | ${names.join(' ')}${more} | ${does} | ${runs} |`
  })
