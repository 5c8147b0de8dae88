// `add-tokens.ts FILE NAME...`: adds them all at the same time.
import { openTokens } from '../../../src/server/http/tokens.ts'

const [path = '', ...names] = process.argv.slice(2)
await Promise.all(names.map((name) => openTokens(path).add(name, ['chat'])))
