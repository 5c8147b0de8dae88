/**
 * What a call did to configuration that runs later. The user decides about withheld files; without a user to ask they
 * stay withheld, and the result names them and how the user puts them in place.
 */
import { cleanControl } from '../lib/clean.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { ExecutableChanges, ToolContext, ToolResult, Withheld } from '../protocol/tool.ts'

type Reach = Pick<ToolContext, 'exec' | 'ask' | 'cwd'>

export async function settleExecutable(
  { executable: own, ...result }: ToolResult,
  reach: Reach,
  signal: AbortSignal,
): Promise<ToolResult> {
  const { withheld, started } = joined(own, await reach.exec.executable?.())
  if (withheld.length === 0 && started.length === 0) return result
  const keepable = withheld.filter(({ keep }) => keep !== undefined)
  const isKept = keepable.length > 0 && (await isWanted(keepable, reach, signal))
  const lines = await Promise.all(withheld.map((each) => settle(each, isKept, reach.cwd)))
  const kept = isKept ? keepable.map(({ path }) => path) : []
  return {
    ...result,
    text: [result.text, ...lines].filter(Boolean).join('\n'),
    changed: [...new Set([...(result.changed ?? []), ...started, ...kept])],
  }
}

const NONE: ExecutableChanges = { withheld: [], started: [] }

const joined = (own = NONE, others = NONE): ExecutableChanges => ({
  withheld: [...own.withheld, ...others.withheld],
  started: [...own.started, ...others.started],
})

const YES = 'keep'

async function isWanted(
  withheld: readonly Withheld[],
  { ask }: Reach,
  signal: AbortSignal,
): Promise<boolean> {
  const question = [
    'The call left something that would run later without a question. It was withheld. Keep it?',
    ...withheld.map(
      ({ path, does, isNew, shown }) =>
        `${cleanControl(path)} (${isNew ? 'new' : 'changed'}): if it stays, ${does}.\n${indented(shown)}`,
    ),
  ].join('\n')
  try {
    return (await ask({ question, options: [YES, 'leave it out'] }, signal)) === YES
  } catch (error) {
    if (error instanceof AppError && error.code === 'permission-denied') return false
    throw error
  }
}

const indented = (text: string): string => cleanControl(text).trimEnd().replaceAll(/^/gm, '    ')

async function settle(withheld: Withheld, isKept: boolean, cwd: string): Promise<string> {
  const { path, does, isNew, problem, keep, keptAt } = withheld
  if (problem !== undefined) return `[not withheld: ${path}; ${does}; ${problem}]`
  if (isKept && keep) {
    return keep().then(
      () => `[kept, as the person decided: ${path}]`,
      (error: unknown) => `[could not be put in place: ${path}: ${errorMessage(error)}]`,
    )
  }
  const what = isNew ? 'removed again' : 'as it was before'
  const how =
    keptAt === undefined
      ? 'only the person can make it'
      : `the person can put it in place with: cp ${quoted(keptAt)} ${quoted(`${cwd}/${path}`)}`
  return `[withheld: ${path} is ${what}, because ${does}; ${how}]`
}

const quoted = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
