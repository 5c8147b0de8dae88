import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { docsFile, renderDocs, renderSchema, schemaFile } from '../../scripts/config-docs.ts'

const hint = 'run `npx tsx scripts/config-docs.ts`'

test('docs/config.md says what the schema says', () => {
  expect(readFileSync(docsFile, 'utf8'), hint).toBe(renderDocs())
})

test('config.schema.json says what the schema says', () => {
  expect(readFileSync(schemaFile, 'utf8'), hint).toBe(renderSchema())
})
