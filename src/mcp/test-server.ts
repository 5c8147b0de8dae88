/** `covey mcp test`: starts a server, asks what it has, remembers it and ends the server. */
import { errorMessage } from '../protocol/error.ts'
import { writeCached } from './cache.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import { toDescription } from './declared.ts'
import { toServerNames, toToolName } from './names.ts'
import type { ServerOffer } from './offer.ts'
import { resourceDescription } from './resources.ts'

export type ServerTest = {
  readonly name: string
  /** As a session would show them: tools, and prompts by the word a person types. */
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly problems: readonly string[]
}

export type TestParts = Omit<ConnectionParts, 'onOffer' | 'warn'> & {
  /** What all servers are called, because a name depends on the others. */
  readonly names: readonly string[]
  /** Where it is kept what servers have, so that the next session knows. */
  readonly cacheFolder: string
}

export async function testServer(parts: TestParts): Promise<ServerTest> {
  const { settings, cacheFolder: folder, cwd, names } = parts
  const { name } = settings
  const problems: string[] = []
  let offer: ServerOffer | undefined
  const connection = new Connection({
    ...parts,
    onOffer: (heard) => (offer = heard),
    warn: (message) => void problems.push(message),
  })
  await connection
    .ready()
    .then(() => offer && writeCached({ folder, settings, cwd }, offer))
    .catch((error: unknown) => void problems.push(errorMessage(error)))
  await connection.close()
  const here = toServerNames(names).get(name) ?? name
  return { name, problems, tools: offer ? shown(here, offer) : [] }
}

function shown(here: string, { tools, prompts, hasResources }: ServerOffer): ServerTest['tools'] {
  return [
    ...tools.map((tool) => ({ name: toToolName(here, tool.name), description: toDescription(tool) })),
    ...(hasResources
      ? [{ name: toToolName(here, 'read_resource'), description: resourceDescription(here) }]
      : []),
    ...prompts.map((prompt) => ({ name: `/${here}:${prompt.name}`, description: toDescription(prompt) })),
  ]
}
