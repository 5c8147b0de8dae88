/** Recorded screens: read, written, and made comparable. What differs from run to run is written over, letter for letter. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'

const fileOf = (size: string): URL => new URL(`screens/${size}.txt`, import.meta.url)

const HEAD = /^══ (.*) ══$/

/** Scenes by name. */
export function readScreens(size: string): ReadonlyMap<string, string> {
  const screens = new Map<string, string>()
  if (!existsSync(fileOf(size))) return screens
  let name = ''
  for (const line of readFileSync(fileOf(size), 'utf8').split('\n')) {
    const head = HEAD.exec(line)?.[1]
    if (head !== undefined) name = head
    else screens.set(name, `${screens.get(name) ?? ''}${line}\n`)
  }
  return new Map([...screens].map(([scene, text]) => [scene, text.trimEnd()]))
}

export function writeScreens(size: string, screens: ReadonlyMap<string, string>): void {
  mkdirSync(new URL('screens/', import.meta.url), { recursive: true })
  const text = [...screens].map(([name, screen]) => `══ ${name} ══\n${screen}\n\n`).join('')
  writeFileSync(fileOf(size), text)
}

const OVERWRITTEN: readonly (readonly [RegExp, string])[] = [
  [/\d{8}-\d{4}-[a-z\d]{4}/g, '20260101-0000-aaaa'],
  [/\d{4}-\d\d-\d\d \d\d:\d\d/g, '2026-01-01 00:00'],
  [/\d{4}-\d\d-\d\d/g, '2026-01-01'],
  [/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/g, '⠋'],
  [/^([●⠋] .*?) \d+ s(?= ·|$)/gm, '$1'],
  [/ [\d.]+ s\b/g, ' 0.0 s'],
  [/ · [\d.]+ tok\/s/g, ''],
  // What confines commands differs from machine to machine.
  [/ · bubblewrap\S*/g, ''],
  [/[ \t]+$/gm, ''],
]

export const comparable = (screen: string): string =>
  OVERWRITTEN.reduce((text, [from, to]) => text.replace(from, to), screen).trimEnd()
