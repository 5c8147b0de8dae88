/** The rules that "always" answers made, in one private file; each holds in the folder it was given in. */
import { z } from 'zod'
import type { Rule, RuleBook, StoredRule } from '../../protocol/guard.ts'
import { openJsonFile } from '../json-file.ts'

const File = z.strictObject({
  rules: z.array(
    z.strictObject({
      folder: z.string(),
      tool: z.string(),
      pattern: z.string().exactOptional(),
      exact: z.boolean().exactOptional(),
      verdict: z.enum(['allow', 'ask', 'deny']),
      addedAt: z.string(),
    }),
  ),
})

export async function openRuleBook(path: string, now: () => Date = () => new Date()): Promise<RuleBook> {
  const file = await openJsonFile<{ rules: StoredRule[] }>(path, File, { rules: [] })
  return {
    list: () => file.value().rules,
    add: (folder, rules) =>
      file.update(({ rules: known }) => {
        const fresh = rules.filter(
          (rule) => !known.some((other) => other.folder === folder && isSame(rule, other)),
        )
        return {
          rules: [...known, ...fresh.map((rule) => ({ folder, ...rule, addedAt: now().toISOString() }))],
        }
      }),
    async remove(index) {
      let removed: StoredRule | undefined
      await file.update(({ rules }) => {
        removed = rules[index]
        return { rules: rules.filter((_, at) => at !== index) }
      })
      return removed
    },
  }
}

const isSame = (a: Rule, b: Rule): boolean =>
  a.tool === b.tool && a.pattern === b.pattern && a.exact === b.exact && a.verdict === b.verdict
