/**
 * The project of the long task: a routing library of seven source files, its documents, and a check that prints one line
 * a case. Made by rule, so that every line of it is known: what a model was shown can be held against it.
 */

type Module = { readonly path: string; readonly names: readonly string[]; readonly facts: readonly string[] }

const modules: readonly Module[] = [
  {
    path: 'lib/router.js',
    names: ['addRoute', 'findRoute', 'removeRoute', 'matchSegments', 'rankRoutes', 'listRoutes'],
    facts: ['export const ROUTE_CACHE_SIZE = 517', "export const WILDCARD_MARK = '*rest'"],
  },
  {
    path: 'lib/parse.js',
    names: [
      'parsePath',
      'parseQuery',
      'parseHeaders',
      'parseCookies',
      'parseRange',
      'parseAccept',
      'parseForwarded',
    ],
    facts: ['export const QUERY_DEPTH = 9', "export const COOKIE_SPLIT = '; '"],
  },
  {
    path: 'lib/head-route.js',
    names: ['headRouteFor', 'parseHeadOnSendHandlers', 'copyHeadHooks'],
    facts: ['export const HEAD_STATUS = 204'],
  },
  {
    path: 'lib/reply.js',
    names: ['sendText', 'sendJson', 'sendStream', 'sendEmpty'],
    facts: ["export const DEFAULT_TYPE = 'text/plain; charset=utf-8'"],
  },
  {
    path: 'lib/errors.js',
    names: ['routeError', 'limitError', 'parseError'],
    facts: ["export const LIMIT_CODE = 'ROUTE_E_LIMIT'", "export const PARSE_CODE = 'ROUTE_E_PARSE'"],
  },
  { path: 'lib/format.js', names: ['formatRoute', 'formatTable'], facts: ['export const TABLE_WIDTH = 72'] },
]

const bodyOf = (
  name: string,
  at: number,
): string => `/** ${name}: what the table says about step ${at} of a request. */
export function ${name}(input, options = {}) {
  const limit = options.maxParams ?? ${at + 10}
  const seen = new Map()
  for (const [index, part] of [...input].entries()) {
    if (index >= limit) return { name: '${name}', kept: seen.size, cut: true }
    const key = \`\${part}:\${index % ${at + 3}}\`
    seen.set(key, (seen.get(key) ?? 0) + 1)
  }
  return { name: '${name}', kept: seen.size, cut: false }
}
`

const sourceOf = ({ names, facts }: Module): string =>
  [`${facts.join('\n')}\n`, ...names.map((name, at) => bodyOf(name, at))].join('\n')

const cases = modules.flatMap(({ path, names }) => names.map((name, at) => ({ path, name, at })))

/** Fails for every function that still reads the option by its old name. */
const check = `import { readFileSync } from 'node:fs'
const cases = ${JSON.stringify(cases)}
let failed = 0
for (const [index, { path, name, at }] of cases.entries()) {
  const module = await import('./' + path)
  const { kept, cut } = module[name]('abcdefghijklmnop', { paramLimit: 4 })
  const ok = cut && kept <= 4
  if (!ok) failed++
  console.log(\`\${ok ? 'ok' : 'not ok'} \${index + 1} - \${name} heeds paramLimit\`)
  if (!ok) console.log(\`  \${path}: \${name} kept \${kept}, expected at most 4 (limit \${at + 10})\`)
}
if (!readFileSync('docs/options.md', 'utf8').includes('paramLimit')) {
  failed++
  console.log('not ok - docs/options.md does not name paramLimit')
}
console.log(\`# pass \${cases.length + 1 - failed}\`)
console.log(\`# fail \${failed}\`)
process.exitCode = failed ? 1 : 0
`

const options = `# Options

${Array.from({ length: 30 }, (_, at) => `- \`option${at}\`: sets step ${at} of the table; ${at * 7} by default.`).join('\n')}
- \`maxParams\`: how many parts of a request are looked at.
`

export const longFiles: Readonly<Record<string, string>> = {
  ...Object.fromEntries(modules.map((module) => [module.path, sourceOf(module)])),
  'lib/index.js':
    modules.map(({ path, names }) => `export { ${names.join(', ')} } from './${path.slice(4)}'`).join('\n') +
    '\n',
  'check.js': check,
  'docs/options.md': options,
  'package.json': '{ "name": "route-table", "version": "3.1.4", "type": "module" }\n',
}

export type Fact = { readonly path: string; readonly line: number; readonly text: string }

/** What is worth remembering of the files: their constants, with the line each stands on. */
export const longFacts: readonly Fact[] = modules.flatMap(({ path, facts }) =>
  facts.map((text, index) => ({ path, line: index + 1, text })),
)
