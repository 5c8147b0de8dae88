/** Tools on another machine, and this machine's tools for others, as they are configured. */
import { z } from 'zod'
import { filled, missingIn } from './variables.ts'

export const toolHostSchema = z
  .strictObject({
    url: z
      .string()
      .regex(/^(?:auto|peer\/.+|https?:\/\/\S+)$/, 'must be `peer/NAME`, `auto` or an http or https address')
      .exactOptional()
      .describe(
        'Where the tools of sessions here run: `peer/NAME`, an address, or `auto` to look for one; here when not set.',
      ),
    token: z.string().exactOptional().meta({
      description:
        'Token with the scope `tools` of that machine; `${VARIABLE}` is taken from the environment.',
      writeOnly: true,
    }),
    workspace: z.string().exactOptional().describe('The folder there, by its name; its first when not set.'),
    port: z
      .int()
      .min(0)
      .max(65_535)
      .exactOptional()
      .describe('Port of `covey tools serve`; 17616 when not set.'),
    host: z
      .string()
      .exactOptional()
      .describe(
        'Address `covey tools serve` listens on; this machine only when not set. Others need a key or a token.',
      ),
    workspaces: z
      .record(z.string().describe('name'), z.string().meta({ format: 'path' }))
      .default({})
      .describe('Folders it works in, by name; the folder it was started in when there are none.'),
    tools: z.array(z.string()).default(['*']).describe('Names of the tools it offers, with `*`.'),
  })
  .prefault({})
  .describe('Tools that run on another machine, and `covey tools serve`, which runs them for others.')

/** A token as it is sent; none where a variable of it is not set. */
export const toToken = (text = '', env: NodeJS.ProcessEnv): string | undefined =>
  missingIn([text], env).length > 0 ? undefined : filled(text, env) || undefined
