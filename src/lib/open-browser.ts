/** Opens an address in the person's browser; false where there is none to open. */
import { spawn } from 'node:child_process'

type Launch = { readonly file: string; readonly args: readonly string[] }

/** How long a launcher may take to fail: one that is still there has a browser. */
const PATIENCE_MS = 3_000

export function openBrowser(
  address: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<boolean> {
  const launch = launchOf(address, env, platform)
  if (!launch) return Promise.resolve(false)
  return new Promise((resolve) => {
    const child = spawn(launch.file, launch.args, { env, stdio: 'ignore', detached: true })
    const timer = setTimeout(() => resolve(true), PATIENCE_MS)
    const settle = (isOpen: boolean) => {
      clearTimeout(timer)
      resolve(isOpen)
    }
    child.once('error', () => settle(false))
    child.once('exit', (code) => settle(code === 0))
    child.unref()
  })
}

function launchOf(address: string, env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Launch | undefined {
  const chosen = env['BROWSER']
  if (chosen) return { file: chosen, args: [address] }
  if (platform === 'darwin') return { file: 'open', args: [address] }
  if (platform === 'win32') return { file: 'rundll32', args: ['url.dll,FileProtocolHandler', address] }
  const hasScreen = env['DISPLAY'] ?? env['WAYLAND_DISPLAY']
  return hasScreen ? { file: 'xdg-open', args: [address] } : undefined
}
