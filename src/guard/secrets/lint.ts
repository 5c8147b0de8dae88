/**
 * A second opinion: the recommended rules of secretlint, without the one that lets a comment in the text switch them
 * off. The rules are asked directly: secretlint's own core keeps a record of every rule it ever ran, which a process
 * that lives long cannot afford. They may take long on hostile text; the length is bounded here.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import type { SecretLintRuleContext } from '@secretlint/types'
import { isObject } from '../../lib/json.ts'
import type { Finding } from './finding.ts'
import { isExamplePassword } from './url.ts'

/** The most that is shown to secretlint at once; our own scanners know every kind it does and look at any length. */
const MAX_LENGTH = 1_048_576

export async function lintSecrets(text: string): Promise<readonly Finding[]> {
  if (text.length > MAX_LENGTH) return []
  const findings: Finding[] = []
  for (const rule of scanners) {
    const kind = kinds[rule.meta.id] ?? 'secret'
    const report = (found: Report): void => {
      findings.push(...withinAddress(text, { ...valueRange(text, found), kind }))
    }
    await ask(rule, report, text)
  }
  return findings
}

/** A rule that breaks down over strange text must not keep the text from leaving: our own scanners have read it. */
async function ask(rule: Rule, report: Context['report'], text: string): Promise<void> {
  try {
    await rule.create(contextFor(report), {}).file?.(sourceOf(text))
  } catch {
    return
  }
}

const scanners = rules.filter(({ meta }) => meta.type === 'scanner' && !meta.id.endsWith('-filter-comments'))

type Rule = (typeof rules)[number]
type Context = SecretLintRuleContext
type Source = Parameters<NonNullable<ReturnType<Rule['create']>['file']>>[0]
type Report = Parameters<Context['report']>[0]

const contextFor = (report: Context['report']): Context => ({
  sharedOptions: {},
  createTranslator: () => (messageId, data) => ({ message: '', messageId: String(messageId), data }),
  report,
  ignore: () => {},
})

/** No real path: a rule would open the file. */
const sourceOf = (text: string): Source =>
  ({
    content: text,
    filePath: 'text.txt',
    ext: '.txt',
    contentType: 'text',
    getFilePath: () => undefined,
    getPhysicalFilePath: () => undefined,
  }) as Partial<Source> as Source

/** How far behind the reported place a value may begin: name, quotes and equals sign stand between. */
const MAX_NAME = 200

/** Ranges are not always those of the secret: one begins at the name and ends short of the value. */
function valueRange(text: string, { range: [from, to], message }: Report): Omit<Finding, 'kind'> {
  const values = isObject(message.data) ? Object.values(message.data) : []
  const near = text.slice(from, to + MAX_NAME)
  for (const value of values) {
    const at = typeof value === 'string' && value.length >= 8 ? near.indexOf(value) : -1
    if (at >= 0) return { start: from + at, end: from + at + String(value).length }
  }
  return { start: from, end: to }
}

/** Of an address only the password is a secret, and the passwords of examples are none. */
function withinAddress(text: string, finding: Finding): readonly Finding[] {
  const [, before = '', password] = ADDRESS.exec(text.slice(finding.start, finding.end)) ?? []
  if (password === undefined) return [finding]
  const start = finding.start + before.length
  return isExamplePassword(password) ? [] : [{ ...finding, start, end: start + password.length }]
}

const ADDRESS = /^([^:]{1,32}:\/\/[^:@]{0,256}:)([^@]{1,256})@/

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
