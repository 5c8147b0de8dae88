/** What the secret firewall looks for beside the keys it knows by itself. */
import { z } from 'zod'
import type { SecretPattern } from '../protocol/firewall.ts'

const pattern = z.strictObject({
  regex: z
    .string()
    .exactOptional()
    .describe(
      'A regular expression without look-around and back-references; `^` and `$` are the ends of a line.',
    ),
  action: z
    .enum(['redact', 'block', 'warn'])
    .default('redact')
    .describe('Put a placeholder, hold the whole text back, or only tell you.'),
})

export const secretsSchema = z
  .strictObject({
    entropy: z
      .enum(['off', 'warn', 'redact'])
      .default('warn')
      .describe('What becomes of values that look random but bear no name.'),
    patterns: z
      .record(z.string().describe('name'), pattern)
      .default({})
      .describe('Secrets of your own, by name.'),
  })
  .prefault({})
  .describe('What must not reach a model, a log or a session file.')

/** The patterns that have an expression; one without is an unfinished table. */
export const toSecretPatterns = ({ patterns }: z.output<typeof secretsSchema>): readonly SecretPattern[] =>
  Object.entries(patterns).flatMap(([name, { regex, action }]) =>
    regex === undefined ? [] : [{ name, regex, action }],
  )
