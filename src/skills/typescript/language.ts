/**
 * Functions in TypeScript: looked at with tree-sitter here, compiled by jiti and run by Node in the sandbox. Types become a
 * JSON schema; what has no form in JSON is refused.
 */
import { dependencyFile } from '../../lib/package-files.ts'
import { type SyntaxNode, withTree } from '../../lib/syntax.ts'
import {
  type FunctionCode,
  type FunctionFacts,
  type FunctionLanguage,
  toArgument,
} from '../function-language.ts'
import { toJsonSchema } from './types.ts'
import { TYPESCRIPT_SCRIPT } from './script.ts'

export const typescript: FunctionLanguage = {
  name: 'typescript',
  inspect: async (code) => (await readFunction(code)).facts,
  async exampleArgv(code, mark) {
    const { example } = await readFunction(code)
    const rehearsal = `${code.source}\nexport async function coveyExample(expectEqual: (given: unknown, expected: unknown) => void) {\n${toStatements(example)}\n}\n`
    return argv({ ...code, source: rehearsal }, { mode: 'rehearse', mark, given: '' })
  },
  callArgv(code, mark, { values, order }) {
    // A parameter that is left out must stay undefined, so that its default counts; JSON has no word for that.
    const list = order.map((name) => (Object.hasOwn(values, name) ? { given: values[name] } : null))
    return argv(code, { mode: 'call', mark, given: toArgument(list) })
  },
}

type FunctionRun = { readonly mode: 'rehearse' | 'call'; readonly mark: string; readonly given: string }

const argv = (
  { source, function: name }: FunctionCode,
  { mode, mark, given }: FunctionRun,
): readonly string[] => [
  process.execPath,
  '-e',
  TYPESCRIPT_SCRIPT,
  dependencyFile('jiti'),
  mode,
  mark,
  toArgument(source),
  name,
  given,
]

/** `f(1) // => 2` is a promise; the rest only has to run. Imports of the function itself are not needed here. */
const toStatements = (example: string): string =>
  example
    .split('\n')
    .filter((line) => !/^\s*(?:```|import\b)/.test(line))
    .map((line) => {
      const [, call, wanted] = /^\s*(.+?);?\s*\/\/\s*(?:=>|→)\s*(.+)$/.exec(line) ?? []
      return call === undefined ? line : `expectEqual(await (${call}), (${wanted}), ${JSON.stringify(call)})`
    })
    .join('\n')

type Reading = { readonly facts: FunctionFacts; readonly example: string }

const broken = (problem: string): Reading => ({
  facts: { parameters: {}, summary: '', problems: [problem] },
  example: '',
})

async function readFunction({ source, function: name }: FunctionCode): Promise<Reading> {
  const reading = await withTree('code.ts', source, (root) => {
    if (root.hasError) return broken('the file does not parse; correct its syntax first')
    const exported = root.namedChildren.flatMap((node) => (node?.type === 'export_statement' ? [node] : []))
    const found = exported.find((statement) => nameOf(statement) === name)
    if (found) return readExported(found, name)
    const names = exported.flatMap((statement) => nameOf(statement) ?? []).join(', ') || 'none'
    return broken(`there is no exported function ${name}; exported are: ${names}`)
  })
  return reading ?? broken('TypeScript cannot be parsed here')
}

/** `export function f` and `export const f = (…) => …`. */
function functionIn(statement: SyntaxNode): { readonly name: string; readonly node: SyntaxNode } | undefined {
  const declaration = statement.childForFieldName('declaration')
  if (declaration?.type === 'function_declaration') {
    return { name: declaration.childForFieldName('name')?.text ?? '', node: declaration }
  }
  const declarator = declaration?.type === 'lexical_declaration' ? declaration.namedChildren[0] : undefined
  const value = declarator?.childForFieldName('value')
  const isFunction = value?.type === 'arrow_function' || value?.type === 'function_expression'
  return isFunction ? { name: declarator?.childForFieldName('name')?.text ?? '', node: value } : undefined
}

const nameOf = (statement: SyntaxNode): string | undefined => functionIn(statement)?.name

function readExported(statement: SyntaxNode, name: string): Reading {
  const node = functionIn(statement)?.node
  if (!node) return broken(`${name} is no function`)
  const problems: string[] = []
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const parameter of node.childForFieldName('parameters')?.namedChildren ?? []) {
    if (!parameter || parameter.type === 'comment') continue
    const read = readParameter(parameter)
    if ('problem' in read) problems.push(read.problem)
    else {
      properties[read.name] = read.schema
      if (read.isRequired) required.push(read.name)
    }
  }
  if (!node.childForFieldName('return_type'))
    problems.push('it has no return type; write one, such as : string')
  const comment = docComment(statement)
  const example = exampleOf(comment ?? '')
  if (comment === undefined) problems.push('it has no doc comment /** … */ right before it')
  else if (example === '') problems.push(`its doc comment has no @example; add one that calls ${name}`)
  const parameters = { type: 'object', properties, required }
  return { facts: { parameters, summary: summaryOf(comment ?? ''), problems }, example }
}

type Parameter = { readonly name: string; readonly schema: unknown; readonly isRequired: boolean }

function readParameter(parameter: SyntaxNode): Parameter | { readonly problem: string } {
  const pattern = parameter.childForFieldName('pattern')
  if (pattern?.type !== 'identifier')
    return { problem: `\`${parameter.text}\` is no plain parameter; give it a name` }
  const name = pattern.text
  const type = parameter.childForFieldName('type')?.namedChildren[0]
  if (!type) return { problem: `parameter ${name} has no type; write one, such as ${name}: string` }
  const schema = toJsonSchema(type)
  if (!schema) {
    const known = 'string, number, boolean, null, arrays, Record<string, …>, object types and unions of them'
    return { problem: `the type of ${name}, ${type.text}, cannot come from JSON; use ${known}` }
  }
  const hasDefault = parameter.childForFieldName('value') !== null
  return { name, schema, isRequired: parameter.type === 'required_parameter' && !hasDefault }
}

function docComment(statement: SyntaxNode): string | undefined {
  const before = statement.previousNamedSibling
  if (before?.type !== 'comment' || !before.text.startsWith('/**')) return undefined
  return before.text
    .replace(/^\/\*\*|\*\/$/g, '')
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, ''))
    .join('\n')
}

const summaryOf = (comment: string): string =>
  comment
    .replace(/(?:^|\s)@\w[\s\S]*$/, '')
    .trim()
    .split('\n', 1)[0] ?? ''

const exampleOf = (comment: string): string =>
  /@example\b[ \t]*([\s\S]*?)(?=^\s*@\w|$(?![\s\S]))/m.exec(comment)?.[1]?.trim() ?? ''
