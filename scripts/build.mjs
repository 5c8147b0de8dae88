// Builds dist/ from src/: one bundle with its dependencies, so that a start reads one file instead of hundreds and an
// installation brings only what cannot be bundled. `index.d.ts` and what it leads to
// come from tsc. A fresh folder each time: a deleted source must not live on in the package.
//   --bundle-only  what the tests start: no types, grammars only if they are missing
//   --if-stale     nothing where dist/ is younger than all it is made from
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { build } from 'esbuild'

const require = createRequire(import.meta.url)
const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'dist')

/**
 * The modules of node-llama-cpp only declare things, and we load its builds ourselves; without this the bundle would carry
 * its compiler and its downloads.
 */
const engineOnly = {
  name: 'engine-only',
  setup({ onLoad, onResolve, resolve: find }) {
    onResolve({ filter: /^(?:\.|node-llama-cpp$)/ }, async ({ path, pluginData, ...from }) => {
      const isEngine = path === 'node-llama-cpp' || /[/\\]node-llama-cpp[/\\]dist[/\\]/.test(from.importer)
      if (pluginData === 'found' || !isEngine) return undefined
      return { ...(await find(path, { ...from, pluginData: 'found' })), sideEffects: false }
    })
    // Reads a file while it is loaded, to know which release to download.
    onLoad({ filter: /[/\\]binariesGithubRelease\.js$/ }, () => ({
      contents:
        "export const builtinLlamaCppRelease = '', defaultLlamaCppRelease = '', getBinariesGithubRelease = async () => ''",
    }))
    onLoad({ filter: /[/\\]getLlamaWithoutBackend\.js$/ }, () => ({
      contents:
        "export const getLlamaWithoutBackend = async () => { throw new Error('There is no engine without a build.') }",
    }))
  },
}

/**
 * Packages whose main file brings much that is not used here, each as the part that is. `undici` in full would be a third of
 * what a start reads.
 */
const usedParts = {
  name: 'used-parts',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'used-parts' }))
    onLoad({ filter: /^undici$/, namespace: 'used-parts' }, () => ({
      resolveDir: root,
      contents: `
        export { default as Agent } from 'undici/lib/dispatcher/agent.js'
        export const fetch = async (...request) => (await import('undici/lib/web/fetch/index.js')).default.fetch(...request)
      `,
    }))
    // It declares a `require` of its own in the scope in which it imports.
    onLoad({ filter: /[/\\]web-tree-sitter\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace('var require =', ''),
    }))
    onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, () => ({
      contents: "export { default as en } from './en.js'",
    }))
  },
}

/** What `dist/program.cjs` can be asked for. */
const entries = {
  main: './src/cli/start.ts',
  library: './src/index.ts',
  engine: './src/embedded/child-main.ts',
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const isBundleOnly = process.argv.includes('--bundle-only')
const isIfStale = process.argv.includes('--if-stale')
if (!isIfStale || !isPageCurrent()) await buildPage()
if (isIfStale && isCurrent()) process.exit()
for (const name of existsSync(dist) ? readdirSync(dist) : []) {
  if (!(name === 'web' || (isBundleOnly && name === 'grammars')))
    rmSync(join(dist, name), { recursive: true, force: true })
}
await bundle()
if (!existsSync(join(dist, 'grammars'))) packGrammars()
learnFromStarts()
if (isBundleOnly) process.exit()
chmodSync(join(dist, 'main.js'), 0o755)
declareTypes()

/** The page draws what src/view makes of events, so that room and what it stands on count as well. */
function isPageCurrent() {
  const built = statSync(join(dist, 'web', 'index.html'), { throwIfNoEntry: false })?.mtimeMs
  if (built === undefined) return false
  const folders = ['web', 'src/view', 'src/protocol', 'src/lib']
  const sources = folders.flatMap((folder) => [
    folder,
    ...readdirSync(join(root, folder), { recursive: true }).map((path) => join(folder, path)),
  ])
  const made = [...sources, 'scripts/build.mjs', 'package-lock.json']
  return made.every((path) => statSync(join(root, path)).mtimeMs < built)
}

async function buildPage() {
  const { build: buildWithVite } = await import('vite')
  await buildWithVite({ configFile: join(root, 'web', 'vite.config.ts'), logLevel: 'warn' })
}

/** The time of a folder tells of files that are gone. */
function isCurrent() {
  const built = statSync(join(dist, 'main.js'), { throwIfNoEntry: false })?.mtimeMs
  const isWhole = existsSync(join(dist, 'index.d.ts')) && existsSync(join(dist, 'grammars'))
  if (built === undefined || !(isBundleOnly || isWhole)) return false
  const sources = readdirSync(join(root, 'src'), { recursive: true }).map((path) => join('src', path))
  const made = [
    'src',
    ...sources,
    'scripts/build.mjs',
    'package-lock.json',
    'tsconfig.build.json',
    'tsconfig.json',
  ]
  return made.every((path) => statSync(join(root, path)).mtimeMs < built)
}

/**
 * One script for everything: V8 can keep the compiled code of a script on every version of Node (`src/cli/launch.ts`).
 * What is imported on demand is evaluated on demand, as it is in src/.
 */
async function bundle() {
  const options = {
    absWorkingDir: root,
    bundle: true,
    platform: 'node',
    mainFields: ['module', 'main'],
    target: 'node20.19',
    sourcemap: true,
    sourcesContent: false,
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
  }
  const lines = Object.entries(entries).map(([key, from]) => `export const ${key} = () => import('${from}')`)
  const { metafile } = await build({
    ...options,
    stdin: { contents: lines.join('\n'), resolveDir: root, sourcefile: 'program.js' },
    outfile: join(dist, 'program.cjs'),
    format: 'cjs',
    external: [
      '@huggingface/jinja',
      '@vscode/ripgrep',
      'jiti',
      '@libsql/*',
      '@node-llama-cpp/*',
      '@reflink/*',
      'canvas',
    ],
    banner: {
      js: "(({ require, file: __filename }) => { const module = { exports: {} }; const bundleUrl = require('node:url').pathToFileURL(__filename).href;",
    },
    footer: { js: 'return module.exports })' },
    define: { 'import.meta.url': 'bundleUrl' },
    // Code that was kept cannot import; it can require modules, too.
    supported: { 'dynamic-import': false },
    plugins: [engineOnly, usedParts],
  })
  if (process.env.COVEY_METAFILE) writeFileSync(process.env.COVEY_METAFILE, JSON.stringify(metafile))
  const program = readFileSync(join(dist, 'program.cjs'))
  await build({
    ...options,
    entryPoints: ['src/cli/launch.ts'],
    outfile: join(dist, 'launch.js'),
    format: 'esm',
    define: { BUNDLE_HASH: JSON.stringify(createHash('sha256').update(program).digest('hex').slice(0, 16)) },
  })
  await writeStarts(options)
}

/** The files that are started and imported: a few lines each, at the paths their sources have in src/. */
async function writeStarts(options) {
  const { metafile } = await build({
    ...options,
    entryPoints: ['src/index.ts'],
    format: 'esm',
    write: false,
    packages: 'external',
    outdir: dist,
  })
  const names = Object.values(metafile.outputs).flatMap(({ exports }) => exports)
  const start = (name, line) => {
    const launch = `${'../'.repeat(name.split('/').length - 1) || './'}launch.js`
    mkdirSync(dirname(join(dist, name)), { recursive: true })
    writeFileSync(
      join(dist, `${name}.js`),
      `#!/usr/bin/env node\nimport { loadProgram } from '${launch}'\n${line}\n`,
    )
  }
  start(
    'main',
    // Half of a start is reading the program, and this needs none of it.
    [
      `if (process.argv[2] === '--version' && process.argv.length === 3) console.log('${version}')`,
      'else process.exitCode = await (await loadProgram().main()).startCli(process)',
    ].join('\n'),
  )
  start('index', `export const { ${names.join(', ')} } = await loadProgram().library()`)
  start('embedded/child-main', 'await loadProgram().engine()')
}

/** The tests start hundreds of processes in homes of their own: the code of the usual ones is compiled here once. */
function learnFromStarts() {
  const home = mkdtempSync(join(tmpdir(), 'covey-build-'))
  const env = { PATH: process.env.PATH, HOME: home, USERPROFILE: home, NODE_COMPILE_CACHE: home }
  try {
    writeFileSync(join(home, 'play.jsonl'), JSON.stringify({ text: 'Done.' }))
    for (const args of [['-m', 'scripted:play.jsonl', 'Go.'], ['help', 'run'], ['sessions']])
      execFileSync(process.execPath, [join(dist, 'main.js'), ...args], { cwd: home, env, stdio: 'ignore' })
    cpSync(join(home, 'covey'), join(dist, 'compiled'), { recursive: true })
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

/** Of the types only those that `index.d.ts` leads to are of use to another program. */
function declareTypes() {
  const types = mkdtempSync(join(root, 'node_modules', '.types-'))
  try {
    const tsc = require.resolve('typescript/bin/tsc')
    const options = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', types]
    execFileSync(process.execPath, [tsc, ...options], { cwd: root, stdio: 'inherit' })
    const reached = new Set()
    const visit = (path) => {
      if (reached.has(path) || !existsSync(join(types, path))) return
      reached.add(path)
      const text = readFileSync(join(types, path), 'utf8')
      for (const [, target] of text.matchAll(/['"](\.[^'"]+)\.[jt]s['"]/g))
        visit(join(dirname(path), `${target}.d.ts`))
      mkdirSync(join(dist, dirname(path)), { recursive: true })
      writeFileSync(join(dist, path), text)
    }
    visit('index.d.ts')
  } finally {
    rmSync(types, { recursive: true, force: true })
  }
}

/** A grammar is a large table of small numbers. No language in src/lib/syntax.ts uses those left out. */
function packGrammars() {
  const target = join(dist, 'grammars')
  mkdirSync(target)
  copyFileSync(
    join(dirname(require.resolve('web-tree-sitter')), 'web-tree-sitter.wasm'),
    join(target, 'web-tree-sitter.wasm'),
  )
  const folder = dirname(require.resolve('@vscode/tree-sitter-wasm'))
  const isUnused = /-(?:c-sharp|ini|powershell|regex)\.wasm$/
  for (const name of readdirSync(folder)) {
    if (!/^tree-sitter-.*\.wasm$/.test(name) || isUnused.test(name)) continue
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(
      join(target, `${name}.br`),
      brotliCompressSync(readFileSync(join(folder, name)), { params }),
    )
  }
}
