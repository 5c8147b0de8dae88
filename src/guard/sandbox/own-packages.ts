import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { packageFile } from '../../lib/package-files.ts'

/** Where the packages lie that Covey starts programs of, such as ripgrep: commands must be able to run those anywhere. */
export function ownPackages(): readonly string[] {
  const around = dirname(packageFile('.'))
  return [packageFile('node_modules'), ...(basename(around) === 'node_modules' ? [around] : [])].filter(
    (folder) => existsSync(folder),
  )
}
