/** What the rankings of paths, targets, texts and commands learn from: of each step the candidates, and which of them is right. */
import { commandCandidates, plainCommand } from '../src/nano/commands/ranking.ts'
import { pathCandidates } from '../src/nano/paths/ranking.ts'
import type { PathRole } from '../src/nano/paths/signs.ts'
import { type TargetAction, targetCandidates } from '../src/nano/paths/target-ranking.ts'
import { searchCandidates } from '../src/nano/opinion/text-ranking.ts'
import type { Step } from './nano-hands-run.ts'
import type { AskedStep } from './nano-opinion-hands.ts'
import type { RankingExample } from './nano-opinion-ranking.ts'

const bare = (path: unknown): string => (typeof path === 'string' ? path.replace(/\/+$/, '') : '') || '.'

const ROLES: Readonly<Record<string, PathRole>> = {
  read: 'read',
  append: 'append',
  delete: 'delete',
  copy: 'copy',
  move: 'move',
  list: 'list',
  search: 'scope',
}

export function pathExample({ clause, step, also, recent, project }: AskedStep): RankingExample | undefined {
  const role = ROLES[step.do]
  if (role === undefined) return undefined
  const pathOf = (one: Step): string => bare(role === 'copy' || role === 'move' ? one['from'] : one['path'])
  const right = new Set([step, ...also].map(pathOf))
  // What is written names no file: at run time nano has pointed at it.
  const content = step['content']
  const words = typeof content === 'string' && content !== '' ? clause.replace(content, ' … ') : clause
  return pathCandidates({ clause: words, role, project, recent }).map(({ path, signs }) => ({
    signs,
    isRight: right.has(bare(path)),
  }))
}

const MAKING: ReadonlySet<string> = new Set(['copy', 'move', 'write', 'mkdir'])

export function targetExample({
  clause,
  step,
  also,
  recent,
  project,
}: AskedStep): RankingExample | undefined {
  if (!MAKING.has(step.do)) return undefined
  const right = new Set([step, ...also].map((one) => bare(one['to'] ?? one['path'])))
  const from = typeof step['from'] === 'string' ? { from: step['from'] } : {}
  const action = step.do as TargetAction
  return targetCandidates({ clause, action, project, recent, ...from }).map(({ path, signs }) => ({
    signs,
    isRight: right.has(bare(path)),
  }))
}

export function textExample({ clause, step, also, recent, project }: AskedStep): RankingExample | undefined {
  if (step.do !== 'search') return undefined
  const right = new Set([step, ...also].map((one) => String(one['text']).toLowerCase()))
  return searchCandidates({ clause, project, recent }).map(({ text, signs }) => ({
    signs,
    isRight: right.has(text.toLowerCase()),
  }))
}

export function commandExample(asked: AskedStep): RankingExample | undefined {
  const { step, also } = asked
  if (step.do !== 'run') return undefined
  const right = new Set([step, ...also].map((one) => plainCommand(String(one['command']))))
  return commandCandidates(asked).map(({ command, signs }) => ({
    signs,
    isRight: right.has(plainCommand(command)),
  }))
}
