/**
 * One arm as it is configured. What is not set is found out by the capability probe; what is set wins over the probe.
 * Secrets stay `${VARIABLE}` until the arm is used, so that a missing key of one arm never stops another.
 */
import { z } from 'zod'
import { nearest } from '../lib/nearest.ts'
import type { ArmSettings } from '../protocol/arm.ts'
import { editForms } from '../protocol/edit-form.ts'
import { AppError } from '../protocol/error.ts'
import { armRouting } from './router.ts'
import { formatKey } from './tree.ts'
import { allFilled, filled, missingIn, variablesIn } from './variables.ts'

const emission = z.strictObject({
  base: z
    .enum(['tool-role', 'user-results', 'collapsed'])
    .default('tool-role')
    .describe('How calls and results are written: role tool, user messages, or folded into one text.'),
  strict: z.boolean().default(false).describe('Roles must alternate between user and assistant.'),
  no_system: z.boolean().default(false).describe('Fold the system text into the first user message.'),
})

export const armSchema = z.strictObject({
  ...armRouting,
  kind: z
    .enum(['openai-compatible', 'openai', 'anthropic', 'google'])
    .default('openai-compatible')
    .describe('The wire format. Local servers are openai-compatible.'),
  base_url: z
    .url({ protocol: /^https?$/ })
    .exactOptional()
    .describe('Address of the API, such as `http://127.0.0.1:8080/v1`; needed for openai-compatible.'),
  model: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "The model's name at the server. Not set: the model called like the arm, or the only one the server has.",
    ),
  api_key: z.string().exactOptional().meta({
    description: 'Key for the server; `${VARIABLE}` is taken from the environment when the arm is used.',
    writeOnly: true,
  }),
  headers: z
    .record(z.string().describe('name'), z.string().meta({ writeOnly: true }))
    .default({})
    .describe('Extra HTTP headers; `${VARIABLE}` works as in `api_key`.'),
  window: z.int().min(512).exactOptional().describe('Tokens of prompt and answer together.'),
  tools: z
    .enum(['native', 'raw', 'text'])
    .exactOptional()
    .describe("How calls travel: the server's own field, a prompt rendered here, or text in a chat message."),
  dialect: z.string().exactOptional().describe('How the model writes calls where they travel as text.'),
  emission: emission.exactOptional().describe('The shape of conversation the server accepts.'),
  reasoning: z
    .enum(['keep', 'drop'])
    .exactOptional()
    .describe('Whether earlier reasoning is shown to the model again.'),
  thinking: z.enum(['default', 'off']).exactOptional().describe('Whether the model may think first.'),
  edit_form: z
    .enum(editForms)
    .exactOptional()
    .describe(
      'How the model is asked to write edits: whole files, search and replace, or line ranges. Not set: `whole` below two billion parameters, else `search`.',
    ),
  required_choice: z.boolean().exactOptional().describe('The server honours `tool_choice: required`.'),
  prefill: z
    .boolean()
    .exactOptional()
    .describe('A trailing assistant message is continued rather than answered.'),
  vision: z.boolean().exactOptional().describe('The model accepts images.'),
  local: z
    .boolean()
    .exactOptional()
    .describe('Runs on this machine or its network; judged by the address when not set.'),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .exactOptional()
    .describe('Sampling temperature of this arm, instead of `engine.temperature`.'),
})

type ArmConfig = z.output<typeof armSchema>

/** An arm ready for use: named, and with its secrets filled in. Never print it. */
export type ResolvedArm = ArmConfig &
  Pick<ArmSettings, 'id' | 'model' | 'isModelOpen'> & { readonly keyHint: string }

/** Finds an arm and fills in its secrets, or throws `config-invalid` with what is missing. */
export function requireArm(
  arms: Readonly<Record<string, ArmConfig>>,
  id: string,
  env: NodeJS.ProcessEnv,
): ResolvedArm {
  const arm = Object.hasOwn(arms, id) ? arms[id] : undefined
  if (!arm) throw new AppError('config-invalid', unknownArm(id, Object.keys(arms)))
  const missing = missingVariables(arm, env)
  if (missing.length > 0) {
    const key = formatKey(['arms', id])
    const [name = ''] = missing
    throw new AppError(
      'config-invalid',
      `${key} refers to ${missing.join(' and ')}, not set in the environment. Set it: export ${name}=KEY`,
    )
  }
  return {
    ...arm,
    id,
    model: arm.model ?? id,
    keyHint: keyHint(id, arm),
    // The makers of the other kinds have dozens of models.
    ...(arm.model === undefined && arm.kind === 'openai-compatible' && { isModelOpen: true }),
    headers: allFilled(arm.headers, env),
    ...(arm.api_key === undefined ? {} : { api_key: filled(arm.api_key, env) }),
  }
}

function keyHint(id: string, { api_key: key }: ArmConfig): string {
  const where = `\`api_key\` under [${formatKey(['arms', id])}] in config.toml`
  const own = `COVEY_ARMS__${id.toUpperCase().replace(/[^A-Z0-9]/g, '_')}__API_KEY`
  if (key === undefined) return `The server wants a key and none is set. Set ${own}=KEY, or ${where}.`
  const [variable] = variablesIn([key])
  return variable === undefined
    ? `The server refused the key. Correct ${where}.`
    : `The server refused the key in ${variable}, which is ${where}. Correct it: export ${variable}=KEY`
}

/** Why an id finds nothing, and what it may have been meant for. */
export function unknownArm(id: string, ids: readonly string[]): string {
  const guess = nearest(id, ids)
  if (guess) return `No arm is called "${id}"; did you mean "${guess}"?`
  if (ids.length > 0) return `No arm is called "${id}"; configured are ${ids.join(', ')}.`
  return `No arm is called "${id}" and none is configured; add [${formatKey(['arms', id])}] to config.toml.`
}

/** The variables that an arm's secrets refer to and the environment does not hold. */
export const missingVariables = ({ api_key: key = '', headers }: ArmConfig, env: NodeJS.ProcessEnv) =>
  missingIn([key, ...Object.values(headers)], env)
