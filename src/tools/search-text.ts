/**
 * Lines that hold a text. The pattern of a small model is often no regular expression, or written in the wrong case; both
 * are tried and said. What the guard will not let anyone read is not found either.
 */
import { z } from 'zod'
import { AppError } from '../protocol/error.ts'
import { type CheckContext, defineTool, type ToolContext } from '../protocol/tool.ts'
import { plural } from '../lib/text.ts'
import { toPage } from './page.ts'
import { ripgrep, toProjectPath } from './ripgrep.ts'

export const searchTextTool = defineTool({
  name: 'search_text',
  description: 'Search by regex',
  category: 'search',
  input: z.object({ pattern: z.string(), path: z.string().default('.') }),
  paths: ['path'],
  paged: true,
  access: ({ path }) => [{ kind: 'read', target: path }],

  async check(call, context) {
    await requireQuery(call, context)
    return { ok: true }
  },

  async run(call, context) {
    const { pattern, place } = await requireQuery(call, context)
    const { hits, isPartial, remark } = await search({ pattern, place }, context)
    const readable = await readableHits(hits, context)
    if (readable.length === 0) return nothing({ pattern, place }, context)
    return [...remark, show(readable, isPartial, context)].join('\n')
  },
})

type Call = { readonly pattern: string; readonly path: string }

async function requireQuery({ pattern, path }: Call, { files }: CheckContext): Promise<Query> {
  if (pattern === '') {
    throw new AppError('tool-failed', 'pattern is empty; list_files shows what is there.', {
      failure: 'bad-arguments',
    })
  }
  const place = toProjectPath(path).replace(/\/+$/, '') || '.'
  if (await files.info(place)) return { pattern, place }
  throw new AppError('tool-failed', `${path} does not exist; leave \`path\` out to search everywhere.`, {
    failure: 'missing-path',
  })
}

/** Often what was hoped for, after a rename: so a fact first, and advice only where the pattern is long. */
async function nothing({ pattern, place }: Query, context: ToolContext): Promise<string> {
  const { lines } = await ripgrep(['--files'], [place], context)
  const where = place === '.' ? '' : ` of ${place}`
  const found = `No matches in ${plural(lines.length, 'file')}${lines.length === 1 ? '' : where}.`
  return /\s/.test(pattern.trim()) ? `${found} Try a shorter or different word.` : found
}

type Query = { readonly pattern: string; readonly place: string }
type Hit = { readonly path: string; readonly line: string; readonly text: string }
type Hits = { readonly hits: readonly Hit[]; readonly isPartial: boolean; readonly remark: readonly string[] }

async function search(query: Query, context: ToolContext): Promise<Hits> {
  const asRegex = await grep(query, [], context)
  const literal = asRegex.isBadPattern ? ['--fixed-strings'] : []
  const remark = asRegex.isBadPattern ? ['(not a valid regex: searched for it as plain text)'] : []
  const exact = asRegex.isBadPattern ? await grep(query, literal, context) : asRegex
  if (exact.hits.length > 0) return { ...exact, remark }
  const anyCase = await grep(query, [...literal, '--ignore-case'], context)
  return { ...anyCase, remark: [...remark, '(upper and lower case ignored)'] }
}

/** Per file, so that one generated file cannot hide the others. */
const MAX_PER_FILE = 50
const MAX_WIDTH = 250

async function grep(
  { pattern, place }: Query,
  options: readonly string[],
  context: ToolContext,
): Promise<{ hits: readonly Hit[]; isPartial: boolean; isBadPattern: boolean }> {
  const { lines, isPartial, isBadPattern } = await ripgrep(
    [
      '--line-number',
      '--with-filename',
      '--no-heading',
      '--field-match-separator=\\t',
      `--max-columns=${MAX_WIDTH}`,
      '--max-columns-preview',
      `--max-count=${MAX_PER_FILE}`,
      '--engine=auto',
      ...(pattern.includes('\n') ? ['--multiline'] : []),
      ...options,
      `--regexp=${pattern}`,
    ],
    [place],
    context,
  )
  return { hits: lines.flatMap(toHit), isPartial, isBadPattern }
}

function toHit(line: string): readonly Hit[] {
  const [path, number, ...text] = line.split('\t')
  if (path === undefined || number === undefined || !/^\d+$/.test(number)) return []
  return [{ path: toProjectPath(path), line: number, text: text.join('\t').trimEnd() }]
}

async function readableHits(hits: readonly Hit[], { files }: ToolContext): Promise<readonly Hit[]> {
  const paths = [...new Set(hits.map(({ path }) => path))]
  const checked = await Promise.all(
    paths.map((path) =>
      files.info(path).then(
        () => [path],
        () => [],
      ),
    ),
  )
  const readable = new Set(checked.flat())
  return hits.filter(({ path }) => readable.has(path))
}

/** Files that define something first, tests and prose after the code, machine-made files last. */
function show(hits: readonly Hit[], isPartial: boolean, context: ToolContext): string {
  const defining = new Set(hits.filter(({ text }) => DEFINITION.test(text)).map(({ path }) => path))
  const rank = ({ path }: Hit): number => rankOf(path) * 2 - (defining.has(path) ? 1 : 0)
  const sorted = hits.toSorted((a, b) => rank(a) - rank(b))
  const page = toPage(
    sorted.map(({ path, line, text }) => `${path}:${line}: ${text}`),
    1,
    context,
  )
  const rest = sorted.slice(page.lines.length)
  if (rest.length === 0 && !isPartial) return page.lines.join('\n')
  const files = new Set(rest.map(({ path }) => path)).size
  const more = `${isPartial ? 'at least ' : ''}${plural(rest.length, 'more match').replace(/hs$/, 'hes')}`
  return [...page.lines, `[${more} in ${plural(files, 'file')}; use a narrower pattern or a path]`].join('\n')
}

const DEFINITION =
  /^\s*(?:export |default |public |private |static |async |abstract )*(?:function|class|def|fn|func|interface|type|struct|enum|trait|const|let|var)\b/

function rankOf(path: string): number {
  if (/(?:^|\/)(?:dist|build|vendor|coverage)\/|[.-]lock\b|lock\.json$|\.min\.|\.map$/.test(path)) return 3
  if (/\.(?:md|txt|rst|log)$/i.test(path)) return 2
  return /(?:^|\/)(?:tests?|__tests__|spec|fixtures)\/|[._](?:test|spec)\./.test(path) ? 1 : 0
}
