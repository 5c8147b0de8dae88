/**
 * Lists every text that a user can see: messages of errors, help, descriptions of settings, banners and warnings.
 * `npx tsx scripts/list-messages.ts [folder]` prints one line per text, to be read through by a person.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** Calls whose arguments are shown. */
const CALLS = new Set([
  'AppError',
  'defineProblem',
  'unsupported',
  'describe',
  'warn',
  'out',
  'err',
  'write',
  'refuse',
])
/** Properties that help and descriptions are made of. */
const PROPERTIES = new Set([
  'summary',
  'usage',
  'description',
  'otherwise',
  'report',
  'why',
  'reason',
  'missing',
  'text',
])

function listFile(file: string): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true)
  const seen = new Set<ts.Node>()
  const visit = (node: ts.Node): void => {
    if (isShown(node)) collect(node, seen)
    ts.forEachChild(node, visit)
  }
  visit(source)
  for (const node of seen) {
    const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
    const text = node.getText(source).slice(1, -1).replaceAll('\n', '\\n')
    if (/[A-Za-z]{2,} [A-Za-z`"$]/.test(text)) console.log(`${file}:${line + 1}: ${text}`)
  }
}

function isShown(node: ts.Node): boolean {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return CALLS.has(nameOf(node.expression))
  return ts.isPropertyAssignment(node) && PROPERTIES.has(node.name.getText())
}

const nameOf = (callee: ts.Expression): string =>
  ts.isPropertyAccessExpression(callee) ? callee.name.text : callee.getText()

/** The texts in an expression, whatever they are joined with. */
function collect(node: ts.Node, into: Set<ts.Node>): void {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isTemplateExpression(node))
    into.add(node)
  else if (!ts.isFunctionLike(node)) ts.forEachChild(node, (child) => collect(child, into))
}

const folder = process.argv[2] ?? 'src'
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.ts'),
)
for (const name of names.toSorted()) listFile(join(folder, name))
