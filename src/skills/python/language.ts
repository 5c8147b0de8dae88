/** Functions in Python: looked at with Python's own parser, run by an interpreter that sees nothing but their code. */
import { z } from 'zod'
import { AppError } from '../../protocol/error.ts'
import {
  type FunctionCode,
  type FunctionFacts,
  type FunctionLanguage,
  lastLines,
  type Outcome,
  type Runner,
  runProgram,
  toArgument,
} from '../function-language.ts'
import { PYTHON_SCRIPT } from './script.ts'

export const python: FunctionLanguage = {
  name: 'python',
  async inspect(code, runner) {
    const said = await look(code, runner)
    if (!said.ok) return { parameters: {}, summary: '', problems: [lastLines(said.text)] }
    return Facts.parse(JSON.parse(said.text))
  },
  exampleArgv: async (code, mark) => argv(code, { mode: 'rehearse', mark, given: '' }),
  callArgv: (code, mark, { values }) => argv(code, { mode: 'call', mark, given: toArgument(values) }),
}

const Facts: z.ZodType<FunctionFacts> = z.object({
  parameters: z.record(z.string(), z.unknown()).default({}),
  summary: z.string().default(''),
  problems: z.array(z.string()),
})

async function look(code: FunctionCode, runner: Runner): Promise<Outcome> {
  const said = await runProgram(runner, LOOK_LIMIT_MS, async (mark) =>
    argv(code, { mode: 'look', mark, given: '' }),
  )
  if (said.ok || !/not found|No such file/i.test(said.text)) return said
  throw new AppError(
    'tool-failed',
    'python3 is not installed here; write the function in TypeScript instead.',
  )
}

const LOOK_LIMIT_MS = 30_000

type FunctionRun = {
  readonly mode: 'look' | 'rehearse' | 'call'
  readonly mark: string
  readonly given: string
}

/** `-I`: neither the project nor the person's own packages are on the path, so the hash covers what runs. */
const argv = (
  { source, function: name }: FunctionCode,
  { mode, mark, given }: FunctionRun,
): readonly string[] => ['python3', '-I', '-c', PYTHON_SCRIPT, mode, mark, toArgument(source), name, given]
