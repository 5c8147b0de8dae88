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
    .describe('Replace it by a placeholder, withhold the whole text, or only warn.'),
})

export const secretsSchema = z
  .strictObject({
    entropy: z
      .enum(['off', 'warn', 'redact'])
      .default('warn')
      .describe('What to do with values that look random but have no name.'),
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
