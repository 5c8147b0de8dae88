/**
 * The rules of ARCHITECTURE.md that a machine can check: who may import whom, and the shape of the files under src/.
 * Pure: sources in (path below src/ -> text), one line per broken rule out.
 */
import { posix } from 'node:path'
import ts from 'typescript'
import { mayImport } from './layout.ts'

export type Sources = Readonly<Record<string, string>>

const MAX_LINES = 300
const LINES_WITHOUT_COMMENT = 40

export function brokenRules(sources: Sources): string[] {
  const files = Object.entries(sources).map(([path, text]) => readSource(path, text))
  return [
    ...files.flatMap(placeRules),
    ...files.flatMap(shapeRules),
    ...files.flatMap(edgeRules),
    ...cycles(files),
  ]
}

type Source = {
  readonly path: string
  readonly text: string
  /** What it imports, as written. */
  readonly specifiers: readonly string[]
  readonly reExports: boolean
  readonly defaultExport: boolean
}

function readSource(path: string, text: string): Source {
  const kind = path.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false, kind)
  const specifiers: string[] = []
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    if (specifier && ts.isStringLiteralLike(specifier)) specifiers.push(specifier.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  const imported = new Set(file.statements.flatMap(importedNames))
  return {
    path,
    text,
    specifiers,
    reExports: file.statements.some((statement) => isReExport(statement, imported)),
    defaultExport: file.statements.some(isDefaultExport),
  }
}

/** Every way to name another module: import and export declarations, `import()` as value and as type, `require()`. */
function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isExternalModuleReference(node)) return node.expression
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (!ts.isCallExpression(node)) return undefined
  const { expression } = node
  const isRequire = ts.isIdentifier(expression) && expression.text === 'require'
  return isRequire || expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined
}

function importedNames(statement: ts.Statement): string[] {
  if (!ts.isImportDeclaration(statement) || !statement.importClause) return []
  const { name, namedBindings } = statement.importClause
  const named =
    namedBindings && ts.isNamedImports(namedBindings) ? namedBindings.elements.map((item) => item.name) : []
  const whole = namedBindings && ts.isNamespaceImport(namedBindings) ? [namedBindings.name] : []
  return [...(name ? [name] : []), ...named, ...whole].map(({ text }) => text)
}

/** `export … from`, and the same in two steps: an imported name in an export list. */
function isReExport(statement: ts.Statement, imported: ReadonlySet<string>): boolean {
  if (!ts.isExportDeclaration(statement)) return false
  if (statement.moduleSpecifier) return true
  const { exportClause } = statement
  if (!exportClause || !ts.isNamedExports(exportClause)) return false
  return exportClause.elements.some(({ name, propertyName }) => imported.has((propertyName ?? name).text))
}

function isDefaultExport(statement: ts.Statement): boolean {
  if (ts.isExportAssignment(statement)) return true
  if (
    ts.isExportDeclaration(statement) &&
    statement.exportClause &&
    ts.isNamedExports(statement.exportClause)
  ) {
    return statement.exportClause.elements.some(({ name }) => name.text === 'default')
  }
  const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
  return modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)
}

/** The row of the table a path belongs to: its folder, or its own name directly in src/. */
const rowOf = (path: string): string => path.split('/')[0] ?? path

function placeRules({ path }: Source): string[] {
  const parts = path.split('/')
  if (parts.length > 3) return [`${path}: src/ holds room/file.ts or room/floor/file.ts, never deeper`]
  if (!Object.hasOwn(mayImport, rowOf(path)))
    return [`${path}: ${rowOf(path)} is not in the table of folders`]
  if (parts.length > 1 && /^index\.tsx?$/.test(parts.at(-1) ?? ''))
    return [`${path}: no barrels; import the file itself`]
  const [folder = '', name = ''] = parts.slice(-2).map((part) => part.replace(/\.tsx?$/, ''))
  const isRoomItself = parts.length === 2 && name === folder
  return parts.length > 1 && name.startsWith(folder) && !isRoomItself
    ? [`${path}: its name begins with that of its folder`]
    : []
}

function shapeRules({ path, text, reExports, defaultExport }: Source): string[] {
  const lines = text.trimEnd().split('\n').length
  const opening = text.replace(/^#!.*\n/, '')
  const isSilent = lines > LINES_WITHOUT_COMMENT && !/^\s*\/[/*]/.test(opening)
  return [
    ...(lines > MAX_LINES ? [`${path}: ${lines} lines; split it, ${MAX_LINES} are the limit`] : []),
    ...(isSilent
      ? [`${path}: a file over ${LINES_WITHOUT_COMMENT} lines opens with a comment on what it is`]
      : []),
    ...(reExports && path !== 'index.ts' ? [`${path}: only index.ts re-exports`] : []),
    ...(defaultExport ? [`${path}: no default exports`] : []),
  ]
}

function edgeRules({ path, specifiers }: Source): string[] {
  const row = rowOf(path)
  const allowed = mayImport[row] ?? []
  return [...new Set(specifiers)].flatMap((specifier) => {
    if (!specifier.startsWith('.')) {
      return row === 'protocol' && specifier !== 'zod'
        ? [`${path}: protocol imports zod only, not ${specifier}`]
        : []
    }
    const target = targetOf(path, specifier)
    if (target.startsWith('..')) return [`${path}: ${specifier} leaves src/`]
    const isAllowed = rowOf(target) === row || allowed.includes(rowOf(target))
    return isAllowed ? [] : [`${path}: ${row} may not import ${target}`]
  })
}

const targetOf = (path: string, specifier: string): string => posix.join(posix.dirname(path), specifier)

/** Imports of types count too: a circle of types is still two files that cannot be read one after the other. */
function cycles(files: readonly Source[]): string[] {
  const edges = new Map(files.map(({ path, specifiers }) => [path, localTargets(path, specifiers)]))
  const done = new Set<string>()
  const found: string[] = []
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path)
    if (start !== -1) found.push(`import cycle: ${[...trail.slice(start), path].join(' -> ')}`)
    if (start !== -1 || done.has(path)) return
    for (const target of edges.get(path) ?? []) walk(target, [...trail, path])
    done.add(path)
  }
  for (const path of edges.keys()) walk(path, [])
  return found
}

const localTargets = (path: string, specifiers: readonly string[]): string[] =>
  specifiers.filter((specifier) => specifier.startsWith('.')).map((specifier) => targetOf(path, specifier))
