/** What this machine has, for a model that is about to use it. Asks each program for its version, all at once. */
import { availableParallelism, release, totalmem, type } from 'node:os'
import { z } from 'zod'
import { defineTool, type ToolContext } from '../protocol/tool.ts'

const PROGRAMS = [
  ['git', '--version'],
  ['python3', '--version'],
  ['npm', '--version'],
  ['gcc', '--version'],
  ['cargo', '--version'],
  ['go', 'version'],
  ['docker', '--version'],
  ['rg', '--version'],
] as const

const LIMIT_MS = 5000

export const systemInfoTool = defineTool({
  name: 'system_info',
  description: 'Installed versions',
  category: 'meta',
  input: z.object({}),

  async run(_input, context) {
    const versions = await Promise.all(PROGRAMS.map((argv) => versionOf(argv, context)))
    const gibibytes = Math.round(totalmem() / 1024 ** 3)
    return [
      `${type()} ${release()} ${process.arch}, ${availableParallelism()} cores, ${gibibytes} GiB`,
      `node: ${process.version}`,
      ...versions,
    ].join('\n')
  },
})

/** A program that is not there cannot be started: that is an answer, not a failure. */
async function versionOf(argv: readonly string[], { exec, signal }: ToolContext): Promise<string> {
  const [name = ''] = argv
  const result = await exec
    .program(argv, { timeoutMs: LIMIT_MS, signal, readsOnly: true })
    .catch(() => undefined)
  const number = result?.exitCode === 0 ? /\d+(?:\.\d+)+\S*/.exec(result.output)?.[0] : undefined
  return `${name}: ${number?.replace(/,$/, '') ?? 'not installed'}`
}
