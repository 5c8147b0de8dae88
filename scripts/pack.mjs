// Packs what is published. npm would pull every GPU build of the embedded engine (overrides count only in a clone), so the
// engine's JavaScript travels inside the tarball and only the CPU builds of each platform are optional dependencies.
//   node scripts/pack.mjs FOLDER      writes the tarball there and prints its path
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'

const root = resolve(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? '.')
const stage = mkdtempSync(join(tmpdir(), 'covey-pack-'))
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: stage, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })

for (const name of [
  'dist',
  'prompts',
  'skills',
  'models',
  'config.schema.json',
  'CHANGELOG.md',
  'README.md',
  'LICENSE',
  'package.json',
  'package-lock.json',
]) {
  cpSync(join(root, name), join(stage, name), { recursive: true })
}
run('npm', 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent')

const modules = join(stage, 'node_modules')
for (const path of [
  '@node-llama-cpp',
  '@libsql',
  'node-llama-cpp/llama/gitRelease.bundle',
  '@mixmark-io/domino/test',
  'node-llama-cpp/templates',
  '.package-lock.json',
]) {
  rmSync(join(modules, path), { recursive: true, force: true })
}
const grammars = join(modules, '@vscode/tree-sitter-wasm/wasm')
for (const name of ['c-sharp', 'ini', 'powershell', 'regex'])
  rmSync(join(grammars, `tree-sitter-${name}.wasm`), { force: true })
packGrammars(grammars)
dropSecondForms()
dropInnerTypes(join(stage, 'dist'))
prune(modules)

const engine = join(modules, 'node-llama-cpp/package.json')
edit(engine, ({ scripts: _scripts, optionalDependencies: _optional, ...rest }) => rest)
edit(join(modules, 'libsql/package.json'), ({ optionalDependencies: _optional, ...rest }) => rest)
edit(join(stage, 'package.json'), (manifest) => {
  const { 'node-llama-cpp': engineVersion, libsql: databaseVersion } = manifest.dependencies
  const engines = ['linux-x64', 'mac-arm64-metal', 'mac-x64', 'win-x64']
  // npm cannot tell glibc from musl here and would install both.
  const databases = ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-arm64', 'darwin-x64', 'win32-x64-msvc']
  const {
    scripts: _scripts,
    devDependencies: _dev,
    overrides: _overrides,
    allowScripts: _allow,
    ...rest
  } = manifest
  return {
    ...rest,
    bundleDependencies: Object.keys(manifest.dependencies).filter((name) => name !== '@vscode/ripgrep'),
    optionalDependencies: Object.fromEntries([
      ...engines.map((build) => [`@node-llama-cpp/${build}`, engineVersion]),
      ...databases.map((build) => [`@libsql/${build}`, databaseVersion]),
    ]),
  }
})
rmSync(join(stage, 'package-lock.json'))
console.log(
  join(target, run('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', target).trim()),
)
rmSync(stage, { recursive: true, force: true })

/** A grammar is a large table of small numbers; `src/lib/grammars.ts` reads both forms. */
function packGrammars(folder) {
  for (const name of readdirSync(folder).filter((file) => /^tree-sitter-.*\.wasm$/.test(file))) {
    const params = { [constants.BROTLI_PARAM_QUALITY]: 9 }
    writeFileSync(
      join(folder, `${name}.br`),
      brotliCompressSync(readFileSync(join(folder, name)), { params }),
    )
    rmSync(join(folder, name))
  }
}

/** Packages that ship themselves as both kinds of module; only one of them is ever loaded. */
function dropSecondForms() {
  const drop = (...parts) => rmSync(join(modules, ...parts), { recursive: true, force: true })
  for (const path of [
    '@modelcontextprotocol/sdk/dist/cjs',
    '@peculiar/x509/build/x509.js',
    'ajv/lib',
    'hono/dist/cjs',
    'zod-to-json-schema/dist/cjs',
  ])
    drop(path)
  for (const name of readdirSync(join(modules, '@peculiar'))) drop('@peculiar', name, 'build/es2015')
  for (const name of readdirSync(join(modules, '@ai-sdk'))) {
    drop('@ai-sdk', name, 'dist/internal')
    if (existsSync(join(modules, '@ai-sdk', name, 'dist/index.mjs'))) drop('@ai-sdk', name, 'dist/index.js')
  }
  for (const name of readdirSync(join(modules, 'zod'), { recursive: true }))
    if (name.endsWith('.cjs') || name.endsWith('.d.cts')) drop('zod', name)
}

/** Of the types only those that `index.d.ts` leads to are of use to another program. */
function dropInnerTypes(dist) {
  const reached = new Set()
  const visit = (path) => {
    if (reached.has(path) || !existsSync(path)) return
    reached.add(path)
    for (const [, target] of readFileSync(path, 'utf8').matchAll(/['"](\.[^'"]+)\.[jt]s['"]/g))
      visit(resolve(path, '..', `${target}.d.ts`))
  }
  visit(join(dist, 'index.d.ts'))
  for (const name of readdirSync(dist, { recursive: true }).filter((file) => file.endsWith('.d.ts')))
    if (!reached.has(join(dist, name))) rmSync(join(dist, name))
}

/** Maps, types, documentation, tests and sources are no part of a running program. */
function prune(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) {
      if (isLeftOut(name, folder)) rmSync(path, { recursive: true })
      else prune(path)
    } else if (/\.(?:map|d\.[cm]?ts|md|markdown)$/.test(name)) rmSync(path)
  }
}

function isLeftOut(name, folder) {
  const isPackage = existsSync(join(folder, 'package.json'))
  if (!isPackage) return false
  if (/^(?:tests?|__tests__|docs|examples?|benchmarks?|\.github|debug)$/.test(name)) return folder !== stage
  return name === 'src' && /(?:@ai-sdk\/[\w-]+|\/zod)$/.test(folder)
}

function edit(path, change) {
  if (existsSync(path))
    writeFileSync(path, `${JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8'))), null, 2)}\n`)
}
