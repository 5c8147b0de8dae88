import { readFile } from 'node:fs/promises'

/** Of this program, as its manifest says. */
export async function packageVersion(): Promise<string> {
  const manifest = await readFile(new URL('../../package.json', import.meta.url), 'utf8')
  return (JSON.parse(manifest) as { version: string }).version
}
