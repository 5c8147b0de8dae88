import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the packages lie that Covey starts programs of, such as ripgrep: commands must be able to run those anywhere. */
export function ownPackages(): readonly string[] {
  const root = packageRoot(dirname(fileURLToPath(import.meta.url)))
  const around = dirname(root)
  return [join(root, 'node_modules'), ...(basename(around) === 'node_modules' ? [around] : [])].filter(
    (folder) => existsSync(folder),
  )
}

const packageRoot = (folder: string): string =>
  existsSync(join(folder, 'package.json')) || dirname(folder) === folder
    ? folder
    : packageRoot(dirname(folder))
