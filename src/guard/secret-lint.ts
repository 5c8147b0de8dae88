/**
 * A second opinion: the recommended rules of secretlint, without the one that lets a comment in the text switch them
 * off. Their ranges are not always those of the secret (one starts at the name and ends short of the value), so the
 * reported value is looked for. They may take long on hostile text; the caller bounds the length.
 */
import { lintSource } from '@secretlint/core'
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import { isObject } from '../lib/json.ts'
import type { Finding } from './secret-finding.ts'

/** The most that is shown to secretlint at once; our own scanners know every kind it does and look at any length. */
export const MAX_LINTED = 1_048_576

export async function lintSecrets(text: string): Promise<readonly Finding[]> {
  if (text.length > MAX_LINTED) return []
  const { messages } = await lintSource({
    source: { filePath: 'text.txt', ext: '.txt', content: text, contentType: 'text' },
    options: { noPhysicFilePath: true, config },
  })
  return messages.map((message) => ({
    ...valueRange(text, message),
    kind: kinds[message.ruleId] ?? 'secret',
  }))
}

const config = {
  rules: rules
    .filter(({ meta }) => !meta.id.endsWith('-filter-comments'))
    .map((rule) => ({ id: rule.meta.id, rule, options: {} })),
}

/** How far behind the reported place a value may begin: name, quotes and equals sign stand between. */
const MAX_NAME = 200

type Range = { readonly start: number; readonly end: number }

function valueRange(text: string, message: { readonly range: readonly [number, number]; readonly data?: unknown }): Range {
  const [from, to] = message.range
  const values = isObject(message.data) ? Object.values(message.data) : []
  const near = text.slice(from, to + MAX_NAME)
  for (const value of values) {
    const at = typeof value === 'string' && value.length >= 8 ? near.indexOf(value) : -1
    if (at >= 0) return { start: from + at, end: from + at + String(value).length }
  }
  return { start: from, end: to }
}

const RULE = '@secretlint/secretlint-rule-'
const kinds: Readonly<Record<string, string>> = {
  [`${RULE}aws`]: 'aws-secret',
  [`${RULE}gcp`]: 'gcp-key',
  [`${RULE}privatekey`]: 'private-key',
  [`${RULE}npm`]: 'npm-token',
  [`${RULE}basicauth`]: 'basic-auth',
  [`${RULE}slack`]: 'slack-token',
  [`${RULE}sendgrid`]: 'sendgrid-key',
  [`${RULE}shopify`]: 'shopify-token',
  [`${RULE}github`]: 'github-token',
  [`${RULE}openai`]: 'openai-key',
  [`${RULE}anthropic`]: 'anthropic-key',
  [`${RULE}linear`]: 'linear-key',
  [`${RULE}1password`]: 'onepassword-token',
  [`${RULE}database-connection-string`]: 'database-password',
}
