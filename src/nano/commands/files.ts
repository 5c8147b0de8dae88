/** Files of the project that run, alone and with what the clause gives them to work on, and single tests. Pure. */
import { acceptsOf } from './accepts.ts'
import { againMarks } from './again.ts'
import { argumentsFor } from './arguments.ts'
import type { Command, CommandAsk } from './ask.ts'
import { givenIn } from './given.ts'
import { runnerOf } from './runner.ts'
import { projectCommands } from './scripts.ts'
import { nextShape } from './shape.ts'
import type { PathProject } from '../paths/project.ts'
import { wordsIn } from '../opinion/tokens.ts'

const RUNNABLE = /\.(?:py|js|mjs|cjs|sh|rb|pl|lua|R|ps1)$/
const MOST_FILES = 80
/** Of so many files that the words name, what they are given is looked at. */
const MOST_NAMED = 12

export function filesFor(ask: CommandAsk): Command[] {
  const { clause, project, recent } = ask
  const made = recent.filter((path) => !project.files.includes(path))
  const runnable = [...project.files, ...made].filter((path) => RUNNABLE.test(path)).slice(0, MOST_FILES)
  const lowered = clause.toLowerCase()
  let left = MOST_NAMED
  return runnable.flatMap((path) => {
    const base = fileCommand(path, ask)
    const isNamed = base.label.some((word) => lowered.includes(word.slice(0, 5)))
    const isAgain = ask.ran?.startsWith(base.command) === true
    if (!(isNamed || isAgain || recent[0] === path) || left === 0) return [base]
    left--
    const all = [base, ...withArguments(base, path, ask), ...testsOf(base, path, project)]
    return isAgain
      ? all.map((one) => ({ ...one, marks: [...(one.marks ?? []), ...againMarks(one, ask.ran ?? '')] }))
      : all
  })
}

/** Those of the project, whatever is asked for. */
export const fileCommands = (project: PathProject): Pick<Command, 'label'>[] =>
  project.files
    .filter((path) => RUNNABLE.test(path))
    .slice(0, MOST_FILES)
    .map((path) => ({ label: labelOf(path) }))

const labelOf = (path: string): string[] =>
  wordsIn(
    nameOf(path)
      .replace(RUNNABLE, '')
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2'),
  )

function fileCommand(path: string, { clause, project }: CommandAsk): Command {
  const text = project.texts.get(path) ?? ''
  const { most, isOptional, shown } = acceptsOf(path, project)
  const name = nameOf(path)
  const at = clause.indexOf(name)
  const alias = aliasOf(path, project)
  return {
    command: `${runnerOf(path, project) ?? 'bash'} ${path}`,
    source: 'file',
    path,
    label: labelOf(path),
    about: new Set(wordsIn(headOf(text))),
    marks: [
      `alias:${alias}`,
      `takes:${most} ${isOptional}`,
      `takes:${most} shown:${shown[0] ?? 'none'}`,
      ...(at < 0 ? [] : [`goes-on:${nextShape(clause.slice(at + name.length))}`]),
    ],
  }
}

/** How a script of the project is called that runs this file. */
function aliasOf(path: string, project: PathProject): string {
  const script = projectCommands(project).find(({ body }) => body.includes(path))
  return script === undefined ? 'none' : (script.command.split(' ')[0] ?? '')
}

function withArguments(base: Command, path: string, ask: CommandAsk): Command[] {
  const { project, clause } = ask
  const text = project.texts.get(path) ?? ''
  const given = givenIn(ask, new Set(base.label), path)
  return argumentsFor(given, acceptsOf(path, project), { clause, text }).map(
    ({ text: argument, kind, signs, covers }) => ({
      ...base,
      command: `${base.command} ${argument}`,
      argument: { kind, covers },
      marks: [...(base.marks ?? []), ...signs],
    }),
  )
}

/** One test, started as the project starts all of them. */
function testsOf(base: Command, path: string, project: PathProject): Command[] {
  if (!/(?:^|\/)test_[^/]*\.py$|_test\.py$|\.(?:test|spec)\.[cm]?js$/.test(path)) return []
  const starts = path.endsWith('.py')
    ? ['python3 -m pytest', 'pytest']
    : ['node --test', 'npx jest', 'npx vitest run']
  const said = [...projectCommands(project)].map(({ body }) => body).join('\n')
  return starts
    .map((start) => ({ start, isUsed: said.includes(start.replace(/^npx /, '')) }))
    .filter(({ isUsed, start }) => isUsed || start === 'python3 -m pytest')
    .map(({ start, isUsed }) => ({
      ...base,
      command: `${start} ${path}`,
      argument: { kind: 'test', covers: [] },
      marks: [`test used:${isUsed}`, `test used:${isUsed} ${start}`],
    }))
}

const HEAD_LINES = 8
const headOf = (text: string): string => text.split('\n').slice(0, HEAD_LINES).join('\n')
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
