/** How long a command may keep the model waiting before it goes on in the background. */

export type CommandLimits = { readonly usualMs: number; readonly longMs: number }

export const commandLimits: CommandLimits = { usualMs: 30_000, longMs: 300_000 }

/** Package managers, builds and tests are known to take long; a person would wait for them too. */
const LONG = new Set(
  `npm npx pnpm pnpx yarn bun bunx deno pip pip3 pipx poetry uv conda bundle gem composer cargo rustup go mvn mvnw
  gradle gradlew sbt dotnet make cmake ninja meson bazel swift xcodebuild docker podman apt apt-get brew dnf apk
  pytest tox nox jest vitest mocha ava tsc webpack vite rspec rake phpunit mix stack cabal`.split(/\s+/),
)

export function timeLimitOf(command: string, { usualMs, longMs }: CommandLimits): number {
  const steps = command.split(/[;&|\n()]+/)
  return steps.some(isLong) ? longMs : usualMs
}

function isLong(step: string): boolean {
  const words = step
    .trim()
    .split(/\s+/)
    .filter((word) => !/^\w+=/.test(word) && word !== 'sudo' && word !== 'time')
  const [program = '', argument = ''] = words
  const name = program.slice(program.lastIndexOf('/') + 1)
  if (name === 'git') return argument === 'clone' || argument === 'fetch'
  if (/^python3?$/.test(name)) return argument === '-m'
  return LONG.has(name) || (name === 'node' && argument === '--test')
}
