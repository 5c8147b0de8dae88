/** The old text of a change: where the request spells it, and whether the file has it. */
import type { Ban } from '../weights/ban.ts'
import type { ProjectFiles } from '../project/sources.ts'
import type { NanoCall } from '../steps/run.ts'

const OLD = String.raw`["'“‘\`]?(?<old>[^"'“”‘’\`\n]{1,60}?)["'”’\`]?`
const WORD = String.raw`(?<old>[^\s"'“”‘’\`,;:]{1,40})`

const PATTERNS = [
  String.raw`\b(?:change|changed|turn|turned|switch|switched|set|bump|bumped|raise|raised|lower|lowered|go|goes)\b[^.;\n]*? from ${OLD} (?:to|into) `,
  String.raw`\b(?:replace|swap|substitute|exchange) ${OLD} (?:with|by|for) `,
  String.raw`["“‘\`](?<old>[^"“”‘’\`\n]{1,60})["”’\`] (?:to|into|with|becomes?|->|=>|→) `,
  String.raw`${WORD} (?:->|=>|→) `,
  String.raw`\b(?:remove|delete|take|strike|drop|cut|lose|scratch) (?:out )?(?:the )?(?:(?:line|item|entry|row|bullet|task|sentence|word|words) )?["“‘\`](?<old>[^"“”‘’\`\n]{1,80})["”’\`]`,
  // Of a word it says what the value belongs to: "the timebox should be 90".
  String.raw`(?<![^\s"'“‘(])(?<old>[£$€¥]?\d[\d.,:/-]*\w{0,3}) (?:should|must|has to|have to|needs to|ought to|is to)(?: now| really| actually)? (?:be|read|say|become) `,
].map((pattern) => new RegExp(pattern, 'i'))

/** Every reading, the most telling first: `DRAFT` in "from DRAFT to AGREED". */
export const oldTexts = (clause: string): string[] =>
  PATTERNS.flatMap((pattern) => pattern.exec(clause)?.groups?.['old'] ?? [])

/** An edit of a text that is not in the file: one of several others has it, or no file does and a line is meant. */
export async function missingOld(
  { name, input }: NanoCall,
  paths: readonly string[],
  files: ProjectFiles,
): Promise<Ban | undefined> {
  const { path, old } = input
  if (name !== 'edit_file' || typeof path !== 'string' || typeof old !== 'string' || old === '')
    return undefined
  if (await isIn(path, old, files)) return undefined
  const others = await holding(old, paths, files)
  if (others.length === 1) return undefined
  return others.length > 1 ? { kind: 'path', path } : { kind: 'tool', name }
}

/** The same edit in the only file that has its text. */
export async function inFileThatHasIt(
  call: NanoCall,
  paths: readonly string[],
  files: ProjectFiles,
): Promise<NanoCall> {
  const { path, old } = call.input
  if (call.name !== 'edit_file' || typeof path !== 'string' || typeof old !== 'string' || old === '')
    return call
  if (await isIn(path, old, files)) return call
  const [only, ...more] = await holding(old, paths, files)
  return only === undefined || more.length > 0 ? call : { ...call, input: { ...call.input, path: only } }
}

async function isIn(path: string, old: string, files: ProjectFiles): Promise<boolean> {
  return (await files.read(path).catch(() => '')).toLowerCase().includes(old.toLowerCase())
}

async function holding(old: string, paths: readonly string[], files: ProjectFiles): Promise<string[]> {
  const found: string[] = []
  for (const path of new Set(paths))
    if (!path.endsWith('/') && (await isIn(path, old, files))) found.push(path)
  return found
}
