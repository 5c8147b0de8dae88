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

const root = resolve(import.meta.dirname, '..')
const target = resolve(process.argv[2] ?? '.')
const stage = mkdtempSync(join(tmpdir(), 'covey-pack-'))
const run = (program, ...args) =>
  execFileSync(program, args, { cwd: stage, stdio: ['ignore', 'pipe', 'inherit'], encoding: 'utf8' })

for (const name of [
  'dist',
  'prompts',
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
prune(modules)

const engine = join(modules, 'node-llama-cpp/package.json')
edit(engine, ({ scripts: _scripts, optionalDependencies: _optional, ...rest }) => rest)
edit(join(stage, 'package.json'), (manifest) => {
  const version = manifest.dependencies['node-llama-cpp']
  const builds = ['linux-x64', 'mac-arm64-metal', 'mac-x64', 'win-x64']
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
    optionalDependencies: Object.fromEntries(builds.map((build) => [`@node-llama-cpp/${build}`, version])),
  }
})
rmSync(join(stage, 'package-lock.json'))
console.log(
  join(target, run('npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', target).trim()),
)
rmSync(stage, { recursive: true, force: true })

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
