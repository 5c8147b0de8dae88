/**
 * The rules of ARCHITECTURE.md that a machine can check: who may import whom, and the shape of the files under src/.
 * Pure: sources in (path below src/ -> text), one line per broken rule out.
 */
import { posix } from 'node:path'
import ts from 'typescript'

export type Sources = Readonly<Record<string, string>>

const ground = ['protocol', 'lib']

const folders: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  lib: ['protocol'],
  config: ground,
  engine: ground,
  context: ground,
  dialect: ground,
  models: ground,
  tools: ground,
  guard: ground,
  memory: ground,
  plan: ground,
  mcp: ground,
  subagents: ground,
  undo: ground,
  tui: ground,
  client: ground,
  provider: [...ground, 'dialect', 'context'],
  embedded: [...ground, 'dialect', 'context'],
  router: ground,
  swarm: ground,
  federation: [...ground, 'provider'],
  skills: ground,
  session: [...ground, 'engine', 'context'],
  server: ground,
}

/** Folder, or file directly in src/, and what it may import besides itself. Arrows point down only. */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  ...folders,
  'arm-sizes.ts': [...ground, 'context'],
  'server-arm.ts': ['arm-sizes.ts', ...ground, 'context', 'embedded', 'provider', 'router'],
  'arms.ts': [
    'arm-sizes.ts',
    'server-arm.ts',
    ...ground,
    'context',
    'provider',
    'embedded',
    'router',
    'swarm',
    'federation',
  ],
  'fleet.ts': ['arms.ts', ...ground, 'config', 'router'],
  'peer-arms.ts': ['arm-sizes.ts', ...ground, 'federation', 'provider', 'router'],
  'flock.ts': ['peer-arms.ts', ...ground, 'config', 'federation', 'router', 'server', 'swarm'],
  'engines.ts': [...ground, 'config', 'embedded', 'models'],
  'named-models.ts': ['arms.ts', 'engines.ts', ...ground, 'config', 'models', 'router'],
  'answering.ts': [
    'arms.ts',
    'fleet.ts',
    'flock.ts',
    'named-models.ts',
    ...ground,
    'config',
    'provider',
    'router',
  ],
  'swarming.ts': ['answering.ts', ...ground, 'config', 'router', 'swarm'],
  'undoing.ts': [...ground, 'config', 'guard', 'session', 'undo'],
  'guard-secrets.ts': [...ground, 'config', 'guard'],
  'guards.ts': ['guard-secrets.ts', 'undoing.ts', ...ground, 'config', 'guard', 'undo'],
  'trusted.ts': [...ground, 'config', 'guard'],
  'session-words.ts': [...ground, 'config', 'context', 'engine'],
  'session-tools.ts': [...ground, 'config', 'engine', 'memory', 'subagents', 'tools'],
  'memories.ts': [...ground, 'config', 'guard', 'memory'],
  'subagent-runs.ts': [...ground, 'engine', 'session', 'subagents'],
  'sessions.ts': [
    'guard-secrets.ts',
    'arms.ts',
    'guards.ts',
    'session-tools.ts',
    'session-words.ts',
    'subagent-runs.ts',
    'undoing.ts',
    ...ground,
    'config',
    'context',
    'engine',
    'guard',
    'session',
  ],
  'app.ts': [
    'arms.ts',
    'server-arm.ts',
    'fleet.ts',
    'flock.ts',
    'answering.ts',
    'swarming.ts',
    'guards.ts',
    'equipper.ts',
    'sessions.ts',
    'trusted.ts',
    ...Object.keys(folders).filter((folder) => folder !== 'tui' && folder !== 'client'),
  ],
  'mcp-servers.ts': [...ground, 'config', 'guard', 'mcp'],
  'equipper.ts': [
    ...ground,
    'memories.ts',
    'mcp-servers.ts',
    'config',
    'context',
    'guard',
    'memory',
    'plan',
    'router',
    'skills',
    'tools',
  ],
  'tool-hosting.ts': ['guards.ts', ...ground, 'config', 'context', 'engine', 'guard', 'session', 'tools'],
  'tool-serving.ts': [
    'tool-hosting.ts',
    'trusted.ts',
    ...ground,
    'config',
    'federation',
    'guard',
    'mcp',
    'server',
  ],
  'server-checks.ts': [...ground, 'config', 'provider', 'router'],
  'providers-desk.ts': [
    'server-checks.ts',
    'answering.ts',
    'arms.ts',
    ...ground,
    'config',
    'federation',
    'guard',
    'provider',
    'router',
  ],
  'desks.ts': [
    ...ground,
    'providers-desk.ts',
    'undoing.ts',
    'answering.ts',
    'fleet.ts',
    'flock.ts',
    'memories.ts',
    'server-arm.ts',
    'trusted.ts',
    'config',
    'guard',
    'plan',
    'server',
    'session',
    'skills',
    'tools',
  ],
  'serving.ts': [
    ...ground,
    'app.ts',
    'sessions.ts',
    'tool-serving.ts',
    'trusted.ts',
    'config',
    'context',
    'federation',
    'guard',
    'router',
    'server',
    'swarm',
  ],
  'serve.ts': [...ground, 'server'],
  cli: [
    ...ground,
    'app.ts',
    'desks.ts',
    'engines.ts',
    'sessions.ts',
    'serving.ts',
    'serve.ts',
    'mcp-servers.ts',
    'tool-serving.ts',
    'trusted.ts',
    'tui',
    'client',
    'config',
    'models',
  ],
  'main.ts': ['cli'],
  // The public functions stand where they belong; this is the one file that gathers them.
  'index.ts': [
    'app.ts',
    'sessions.ts',
    'protocol',
    'dialect',
    'guard',
    'context',
    'provider',
    'swarm',
    'models',
  ],
}

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
  return parts.length > 1 && /^index\.tsx?$/.test(parts.at(-1) ?? '')
    ? [`${path}: no barrels; import the file itself`]
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
