/** `covey web`: the page of the server that runs here, or of one that is started for it, in the browser. */
import type { Command, CommandContext } from './command.ts'
import { serveOptions } from './serve.ts'
import type { PrepareServing } from './serve-until-stopped.ts'

export const createWebCommand = (prepare: PrepareServing): Command => ({
  name: 'web',
  summary: 'Open the page in the browser: chat, machines, models',
  usage: '[options]',
  options: [
    { flags: '--read-only', description: 'the page may look, but not act' },
    { flags: '--no-open', description: 'print the address instead of opening a browser' },
    ...serveOptions,
  ],
  examples: ['covey web', 'covey web --read-only', 'covey web --no-open --port 8080'],
  async run(context) {
    const { appPaths } = await import('../config/paths.ts')
    const { findServer } = await import('../app/page.ts')
    const { dataFolder } = appPaths(context.env, process.platform)
    const running = await findServer(dataFolder)
    if (running !== undefined) {
      await show(context, dataFolder, running)
      return 0
    }
    const { serveUntilStopped } = await import('./serve-until-stopped.ts')
    return serveUntilStopped(context, prepare, ({ url }) => show(context, dataFolder, url))
  },
})

async function show({ io, env, options }: CommandContext, dataFolder: string, url: string): Promise<void> {
  const { pageAddress } = await import('../app/page.ts')
  const { openBrowser } = await import('../lib/open-browser.ts')
  const address = await pageAddress(dataFolder, url, options['readOnly'] === true)
  if (options['open'] !== false && (await openBrowser(address, env))) {
    io.out(`Opened ${url}/ in the browser.\n`)
    return
  }
  io.out(`${address}\n`)
  io.err('covey: open this address in a browser on this machine within a minute; it works once.\n')
}
