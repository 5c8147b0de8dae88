/**
 * Command-line agents of other vendors, as data: how each is started so that it answers once, and how the lines it prints
 * are read. None is started with its own approvals switched off: what it would have to ask for, it leaves undone.
 */
import { z } from 'zod'
import type { Usage } from '../../protocol/model.ts'

export const agentNames = ['claude', 'codex', 'gemini', 'opencode'] as const
export type AgentName = (typeof agentNames)[number]

/** What one line of output says; most say nothing. */
export type AgentLine =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'activity'; readonly text: string }
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'failure'; readonly message: string }

export type AgentProgram = {
  readonly name: AgentName
  /** Behind the program's name; the prompt comes on stdin. */
  args(model: string | undefined): readonly string[]
  read(line: unknown): readonly AgentLine[]
}

const modelArgs = (model: string | undefined): readonly string[] => (model ? ['--model', model] : [])

/** A reader for the lines that fit a schema; what does not fit is none of our business. */
const reading =
  <Schema extends z.ZodType>(schema: Schema, read: (line: z.infer<Schema>) => readonly AgentLine[]) =>
  (line: unknown): readonly AgentLine[] => {
    const parsed = schema.safeParse(line)
    return parsed.success ? read(parsed.data) : []
  }

const count = z.number().nonnegative().default(0)

const claude = reading(
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('assistant'),
      message: z.object({
        content: z.array(
          z.looseObject({ type: z.string(), text: z.string().optional(), name: z.string().optional() }),
        ),
      }),
    }),
    z.object({
      type: z.literal('result'),
      is_error: z.boolean().default(false),
      result: z.string().default(''),
      usage: z
        .object({ input_tokens: count, output_tokens: count, cache_read_input_tokens: count })
        .optional(),
    }),
  ]),
  (line) => {
    if (line.type === 'assistant') {
      return line.message.content.flatMap(({ type, text, name }): readonly AgentLine[] =>
        type === 'text' && text
          ? [{ type: 'text', text }]
          : type === 'tool_use'
            ? [{ type: 'activity', text: name ?? '' }]
            : [],
      )
    }
    const { usage } = line
    return [
      ...(usage
        ? [
            toUsage(
              usage.input_tokens + usage.cache_read_input_tokens,
              usage.output_tokens,
              usage.cache_read_input_tokens,
            ),
          ]
        : []),
      ...(line.is_error ? [{ type: 'failure' as const, message: line.result }] : []),
    ]
  },
)

const codex = reading(
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('item.completed'),
      item: z.looseObject({ type: z.string(), text: z.string().optional(), command: z.string().optional() }),
    }),
    z.object({
      type: z.literal('turn.completed'),
      usage: z.object({ input_tokens: count, cached_input_tokens: count, output_tokens: count }),
    }),
    z.object({ type: z.literal('turn.failed'), error: z.object({ message: z.string() }) }),
    z.object({ type: z.literal('error'), message: z.string() }),
  ]),
  (line) => {
    switch (line.type) {
      case 'item.completed':
        if (line.item.type === 'agent_message' && line.item.text)
          return [{ type: 'text', text: line.item.text }]
        return line.item.command ? [{ type: 'activity', text: line.item.command }] : []
      case 'turn.completed':
        return [toUsage(line.usage.input_tokens, line.usage.output_tokens, line.usage.cached_input_tokens)]
      case 'turn.failed':
        return [{ type: 'failure', message: line.error.message }]
      case 'error':
        return [{ type: 'failure', message: line.message }]
    }
  },
)

const gemini = reading(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('message'), role: z.string(), content: z.string() }),
    z.object({ type: z.literal('tool_use'), tool_name: z.string().default('') }),
    z.object({
      type: z.literal('result'),
      status: z.string().default('success'),
      error: z.object({ message: z.string() }).optional(),
      stats: z.object({ input_tokens: count, output_tokens: count, cached: count }).optional(),
    }),
  ]),
  (line) => {
    if (line.type === 'message')
      return line.role === 'assistant' ? [{ type: 'text', text: line.content }] : []
    if (line.type === 'tool_use') return [{ type: 'activity', text: line.tool_name }]
    const { stats, status, error } = line
    return [
      ...(stats ? [toUsage(stats.input_tokens, stats.output_tokens, stats.cached)] : []),
      ...(status === 'success' ? [] : [{ type: 'failure' as const, message: error?.message ?? status }]),
    ]
  },
)

const opencode = reading(
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('text'), part: z.object({ text: z.string() }) }),
    z.object({ type: z.literal('tool_use'), part: z.object({ tool: z.string() }) }),
    z.object({
      type: z.literal('step_finish'),
      part: z.object({
        tokens: z.object({ input: count, output: count, cache: z.object({ read: count }).prefault({}) }),
      }),
    }),
    z.object({
      type: z.literal('error'),
      error: z.looseObject({
        name: z.string().optional(),
        data: z.looseObject({ message: z.string() }).optional(),
      }),
    }),
  ]),
  (line) => {
    switch (line.type) {
      case 'text':
        return [{ type: 'text', text: line.part.text }]
      case 'tool_use':
        return [{ type: 'activity', text: line.part.tool }]
      case 'step_finish': {
        const { input, output, cache } = line.part.tokens
        return [toUsage(input + cache.read, output, cache.read)]
      }
      case 'error':
        return [{ type: 'failure', message: line.error.data?.message ?? line.error.name ?? 'it failed' }]
    }
  },
)

const toUsage = (prompt: number, completion: number, cached: number): AgentLine => ({
  type: 'usage',
  usage: { prompt, completion, cached },
})

export const agentPrograms: Readonly<Record<AgentName, AgentProgram>> = {
  claude: {
    name: 'claude',
    args: (model) => ['--print', '--output-format', 'stream-json', '--verbose', ...modelArgs(model)],
    read: claude,
  },
  codex: {
    name: 'codex',
    args: (model) => ['exec', '--json', '--sandbox', 'read-only', ...modelArgs(model), '-'],
    read: codex,
  },
  gemini: {
    name: 'gemini',
    args: (model) => ['--output-format', 'stream-json', ...modelArgs(model)],
    read: gemini,
  },
  opencode: {
    name: 'opencode',
    args: (model) => ['run', '--format', 'json', ...modelArgs(model)],
    read: opencode,
  },
}
