/**
 * Code as a person would type it into a console, turned into the body of an async function: what it declares at the top
 * stays for the next call, may be declared again, `await` and `import` work, and the last expression is the value. Pure.
 * Every edit stays on its line, so that errors name the lines the model wrote.
 */
import { type SyntaxNode, withTree } from '../../lib/syntax.ts'

type Edit = { readonly from: number; readonly to: number; readonly text: string }

export async function toFunctionBody(code: string): Promise<string> {
  const edits = await withTree('code.js', code, editsFor)
  return apply(code, edits ?? [])
}

function editsFor(root: SyntaxNode): readonly Edit[] {
  const statements = root.namedChildren.filter((child) => child !== null && child.type !== 'comment')
  const last = statements.at(-1)
  return statements.flatMap((statement) => {
    if (!statement) return []
    if (statement === last && statement.type === 'expression_statement') return toReturn(statement)
    return editors[statement.type]?.(statement) ?? []
  })
}

type Editor = (statement: SyntaxNode) => readonly Edit[]

/** Names without a declaration are global, and that is what lasts. */
const assignments: Editor = (statement) => {
  const declarators = statement.namedChildren.filter((child) => child?.type === 'variable_declarator')
  const [first] = declarators
  const end = declarators.at(-1)
  if (!first || !end) return []
  return [
    { from: statement.startIndex, to: first.startIndex, text: 'void (' },
    ...declarators.flatMap((one) =>
      one && !one.childForFieldName('value') ? [insert(one.endIndex, ' = undefined')] : [],
    ),
    ...declarators.flatMap((one) => (one ? [insert(one.startIndex, '('), insert(one.endIndex, ')')] : [])),
    insert(end.endIndex, ');'),
  ]
}

/** A function is there before its line is reached; making it global can wait until then. */
const globalFunction: Editor = (statement) => {
  const name = statement.childForFieldName('name')?.text
  return name === undefined ? [] : [insert(statement.endIndex, `;globalThis.${name} = ${name};`)]
}

const globalClass: Editor = (statement) => {
  const name = statement.childForFieldName('name')?.text
  if (name === undefined) return []
  return [insert(statement.startIndex, `void (${name} = `), insert(statement.endIndex, ');')]
}

const dynamicImport: Editor = (statement) => {
  const source = statement.childForFieldName('source')?.text
  const clause = statement.namedChildren.find((child) => child?.type === 'import_clause')
  if (source === undefined) return []
  const lines = '\n'.repeat(statement.text.split('\n').length - 1)
  const names = clause?.namedChildren.flatMap((child) => (child ? bindingsOf(child) : [])) ?? []
  const text = names.length === 0 ? `await import(${source})` : importing(source, names)
  return [{ from: statement.startIndex, to: statement.endIndex, text: `${text};${lines}` }]
}

/** A name of ours, and what of the module it gets. */
type Binding = { readonly name: string; readonly value: string }

const importing = (source: string, names: readonly Binding[]): string =>
  `void (await import(${source}).then((m) => { ${names.map(({ name, value }) => `globalThis.${name} = ${value}`).join('; ')} }))`

function bindingsOf(child: SyntaxNode): readonly Binding[] {
  if (child.type === 'identifier') return [{ name: child.text, value: 'm.default' }]
  if (child.type === 'namespace_import') return [{ name: child.namedChildren[0]?.text ?? '_', value: 'm' }]
  return child.namedChildren.flatMap((specifier) => {
    const name = specifier?.childForFieldName('name')?.text
    if (name === undefined) return []
    return [
      { name: specifier?.childForFieldName('alias')?.text ?? name, value: `m[${JSON.stringify(name)}]` },
    ]
  })
}

const editors: Readonly<Record<string, Editor>> = {
  lexical_declaration: assignments,
  variable_declaration: assignments,
  function_declaration: globalFunction,
  generator_function_declaration: globalFunction,
  class_declaration: globalClass,
  import_statement: dynamicImport,
}

function toReturn(statement: SyntaxNode): readonly Edit[] {
  const expression = statement.namedChildren.find((child) => child !== null && child.type !== 'comment')
  if (!expression) return []
  return [insert(expression.startIndex, 'return ('), insert(expression.endIndex, ')')]
}

const insert = (at: number, text: string): Edit => ({ from: at, to: at, text })

/** In the order of their places; of several at one place the first given comes first. */
function apply(code: string, edits: readonly Edit[]): string {
  let result = ''
  let from = 0
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    result += code.slice(from, edit.from) + edit.text
    from = edit.to
  }
  return result + code.slice(from)
}
