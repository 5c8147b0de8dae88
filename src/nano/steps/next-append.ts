/** "Add "a" to the handover and "b" to the ideas": the next text that is quoted, at the end of the file that is named beside it. Pure. */
import { fitOf, saidIn } from '../paths/fit.ts'
import type { NanoCall } from './run.ts'

const QUOTED =
  /"(?<a>[^"\n]+)"|“(?<b>[^”\n]+)”|`(?<c>[^`\n]+)`|(?<![\p{L}\p{N}])'(?<d>[^'\n]+)'(?![\p{L}\p{N}])/gu

type Quote = { readonly text: string; readonly from: number; readonly to: number }

export const quotesIn = (clause: string): Quote[] =>
  Array.from(clause.matchAll(QUOTED), ({ 0: all, index, groups: { a, b, c, d } = {} }) => ({
    text: a ?? b ?? c ?? d ?? '',
    from: index,
    to: index + all.length,
  }))

/** Nothing where the last call wrote no quoted text, or the next file is not clear. */
export function nextAppend(
  { name, input: { content, path } }: NanoCall,
  clause: string,
  files: readonly string[],
): NanoCall | undefined {
  const quotes = quotesIn(clause)
  const at = quotes.findIndex(({ text }) => name === 'write_file' && text === String(content).trim())
  const [last, next, after] = [quotes[at], quotes[at + 1], quotes[at + 2]]
  if (!last || !next) return undefined
  const behind = clause.slice(next.to, after?.from)
  const before = clause.slice(last.to, next.from)
  const target = clearest(behind, files) ?? clearest(before, files)
  return target !== undefined && target !== path
    ? { name, input: { path: target, content: next.text, append: true } }
    : undefined
}

function clearest(words: string, files: readonly string[]): string | undefined {
  const said = saidIn(words)
  const [best, second] = files
    .map((path) => ({ path, fit: fitOf(path, said).total }))
    .toSorted((a, b) => b.fit - a.fit)
  return best && best.fit > 0 && best.fit > (second?.fit ?? 0) ? best.path : undefined
}
