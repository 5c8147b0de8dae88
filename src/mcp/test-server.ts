import { errorMessage } from '../protocol/error.ts'
import { writeCached } from './cache.ts'
import { Connection, type ConnectionParts } from './connection.ts'
import { type DeclaredTool, toDescription } from './declared.ts'
import { toToolName } from './names.ts'

export type ServerTest = {
  readonly name: string
  /** As a session would show them. */
  readonly tools: readonly { readonly name: string; readonly description: string }[]
  readonly problems: readonly string[]
}

export type TestParts = Omit<ConnectionParts, 'onTools' | 'warn'> & {
  /** Where it is kept what servers have, so that the next session knows. */
  readonly cacheFolder: string
}

/** Starts a server, asks what it has, and ends it. */
export async function testServer(parts: TestParts): Promise<ServerTest> {
  const { settings, cacheFolder } = parts
  const { name } = settings
  const problems: string[] = []
  let declared: readonly DeclaredTool[] = []
  const connection = new Connection({
    ...parts,
    onTools: (tools) => (declared = tools),
    warn: (message) => void problems.push(message),
  })
  await connection
    .ready()
    .then(() => writeCached(cacheFolder, settings, declared))
    .catch((error: unknown) => void problems.push(errorMessage(error)))
  await connection.close()
  const tools = declared.map((tool) => ({
    name: toToolName(name, tool.name),
    description: toDescription(tool),
  }))
  return { name, tools, problems }
}
