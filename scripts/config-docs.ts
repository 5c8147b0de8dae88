/**
 * Writes config.schema.json and docs/config.md from the schema of the configuration: `npx tsx scripts/config-docs.ts`.
 * A test fails when either is older than the schema.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  configJsonSchema,
  expectedOf,
  findSchema,
  listKeys,
  meaningOf,
  propertiesOf,
} from '../src/config/keys.ts'
import { KEYS_WITHOUT_TRUST } from '../src/config/project.ts'
import { formatKey } from '../src/config/tree.ts'

export const schemaFile = new URL('../config.schema.json', import.meta.url)
export const docsFile = new URL('../docs/config.md', import.meta.url)

/** The schema of a file: the configuration, and profiles that hold the same keys. */
export function renderSchema(): string {
  const properties = propertiesOf(configJsonSchema())
  const references = Object.keys(properties).map((name) => [name, { $ref: `#/properties/${name}` }])
  const profiles = {
    description: 'Named sets of values for `--profile name`.',
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: Object.fromEntries(references),
      additionalProperties: false,
    },
  }
  const schema = { ...configJsonSchema(), title: 'covey', properties: { ...properties, profiles } }
  return `${JSON.stringify(schema, undefined, 2)}\n`
}

export function renderDocs(): string {
  const sections = Object.keys(propertiesOf(configJsonSchema())).map(renderSection)
  return `${introduction}\n${sections.join('\n')}`
}

function renderSection(name: string): string {
  const keys = listKeys().filter(({ path }) => path[0] === name)
  const rows = keys.map(({ path, schema }) => {
    const cells = [
      `\`${formatKey(path)}\``,
      expectedOf(schema),
      defaultOf(schema['default']),
      meaningOf(path),
    ]
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  })
  const isTable = keys.length > 1 || keys[0]?.path.length !== 1
  const opening = isTable ? `${String(findSchema([name])?.['description'])}\n\n` : ''
  return `### ${name}\n\n${opening}| key | value | default | meaning |\n|---|---|---|---|\n${rows.join('\n')}\n`
}

const defaultOf = (value: unknown): string => (value === undefined ? '' : `\`${JSON.stringify(value)}\``)

const introduction = `<!-- Written by scripts/config-docs.ts from the schema in src/config; change it there. -->
# Configuration

A server can be used without any file: \`covey --base-url http://127.0.0.1:8080/v1 "prompt"\`. What you want to keep is TOML
in \`~/.config/covey/config.toml\` (\`$XDG_CONFIG_HOME/covey/config.toml\`):

\`\`\`toml
model = "local"

[arms.local]
base_url = "http://127.0.0.1:8080/v1"
window = 16384

[arms.cloud]
kind = "anthropic"
model = "claude-sonnet-4-5"
api_key = "\${ANTHROPIC_API_KEY}"

[engine]
max_turns = 30

[permission]
mode = "accept-edits"

[checks]
"*.ts" = "npx tsc --noEmit"

[profiles.careful]
permission = { mode = "read-only" }
\`\`\`

\`\`\`sh
covey config show
covey config explain engine.max_turns
covey config check
covey config path
\`\`\`

\`show\` prints everything that is in force, \`explain\` says where a value comes from and what it means, \`check\` prints a
line for every mistake and ends with exit code 2. None of them prints a key. Unknown keys are mistakes, with a suggestion.

For completion and hints in an editor that knows \`#:schema\`, put this on the first line of the file, with the path of
\`config.schema.json\` in the installed package: \`#:schema /path/to/covey/config.schema.json\`.

## Where values come from

Later ones win, key by key; tables are merged, \`permission.rules\` of all of them count, everything else is replaced.

1. defaults
2. your \`config.toml\`
3. a profile, chosen by \`--profile name\` or \`COVEY_PROFILE\`: \`[profiles.name]\` in your file, then \`profiles/name.toml\`
   beside it
4. the project's \`.covey/config.toml\`
5. the environment
6. flags

**The project's file** came with the project. Unless its exact content is trusted, only ${KEYS_WITHOUT_TRUST.map((key) => `\`${key}\``).join(', ')} counts; the
other keys are left out with a warning.

**The environment**: \`COVEY_ENGINE__MAX_TURNS=5\` sets \`engine.max_turns\`; two underscores are one level. Switches are
\`true\` or \`false\` (\`1\`, \`0\`, \`yes\`, \`no\`, \`on\`, \`off\`), tables and lists are JSON, an empty variable is not set.
\`COVEY_BASE_URL\`, \`COVEY_MODEL\` and \`COVEY_API_KEY\` use a server without any file.

**Secrets**: write \`\${VARIABLE}\` in \`api_key\` and \`headers\`. It is read when the arm is used; a missing variable is a
mistake only then.

**Paths** are relative to the folder of the file that names them; \`~/\` is your home folder.

## Keys
`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(schemaFile, renderSchema())
  writeFileSync(docsFile, renderDocs())
}
