/**
 * Ollama's window. It loads models with a small default and cuts longer prompts without a word, so a larger window is
 * asked for by loading the model with it, and checked by asking what is loaded. Every later request must carry the same
 * number: one without it would load the model anew with the default.
 */
import { errorMessage } from '../../protocol/error.ts'
import { found, mergeFindings, type Findings, type ProbeReport } from './findings.ts'
import { loadedWindow } from './metadata.ts'
import type { ServerClient } from '../server-client.ts'
import { ASSUMED_WINDOW, SMALL_WINDOW } from '../../protocol/token-limits.ts'

/** Enough to work in, and affordable: more would cost memory without asking the user. */
const AFFORDABLE_WINDOW = SMALL_WINDOW

export type OllamaWish = {
  readonly model: string
  /** What the person configured. */
  readonly window: number | undefined
  /** False: nothing is loaded, the first request does it. */
  readonly load: boolean
  /** Stop waiting for the model to load; it goes on loading. */
  readonly patience: AbortSignal
}

export async function fitOllamaWindow(
  client: ServerClient,
  findings: Findings,
  wish: OllamaWish,
  signal: AbortSignal,
): Promise<ProbeReport> {
  const loaded = findings.window?.value
  const wanted = wantedWindow(findings, wish.window)
  if (loaded !== undefined && loaded >= wanted) return { findings, warnings: [] }
  if (!wish.load) {
    const asked = found(wanted, 'num_ctx of every request')
    return { findings: mergeFindings(findings, { window: asked }), warnings: [] }
  }
  const outcome = await Promise.race([
    loadWith(client, { model: wish.model, wanted, loaded }, signal),
    latecomer(wish.model, wanted, wish.patience),
  ])
  return {
    findings: mergeFindings(findings, { window: found(outcome.window, outcome.from) }),
    warnings: [outcome.warning ?? toldWindow(wish.model, loaded, outcome.window)],
  }
}

function wantedWindow({ window, largestWindow }: Findings, configured: number | undefined): number {
  const largest = largestWindow?.value ?? Number.POSITIVE_INFINITY
  return Math.min(configured ?? Math.max(window?.value ?? 0, AFFORDABLE_WINDOW), largest)
}

type Outcome = { readonly window: number; readonly from: string; readonly warning?: string }
type Loading = { readonly model: string; readonly wanted: number; readonly loaded: number | undefined }

/** Where the memory does not suffice, half as much. */
async function loadWith(client: ServerClient, loading: Loading, signal: AbortSignal): Promise<Outcome> {
  const { model, wanted, loaded } = loading
  try {
    await client.post('/api/generate', { model, stream: false, options: { num_ctx: wanted } }, signal)
    const verified = await loadedWindow(client, model, signal).catch(() => undefined)
    return { window: verified ?? wanted, from: `GET /api/ps, after loading it with num_ctx ${wanted}` }
  } catch (error) {
    const half = Math.floor(wanted / 2)
    if (!signal.aborted && half >= ASSUMED_WINDOW && half > (loaded ?? 0)) {
      return loadWith(client, { ...loading, wanted: half }, signal)
    }
    return {
      window: loaded ?? ASSUMED_WINDOW,
      from: 'what Ollama loads by itself',
      warning: `Ollama could not load ${model} with a larger window: ${errorMessage(error)}`,
    }
  }
}

const latecomer = (model: string, wanted: number, patience: AbortSignal): Promise<Outcome> =>
  new Promise((resolve) => {
    const leave = () =>
      resolve({
        window: wanted,
        from: 'num_ctx of every request, not verified yet',
        warning: `Ollama is still loading ${model} with a window of ${wanted} tokens.`,
      })
    if (patience.aborted) leave()
    else patience.addEventListener('abort', leave, { once: true })
  })

const toldWindow = (model: string, before: number | undefined, now: number): string =>
  `Ollama loaded ${model} with a window of ${now} tokens (num_ctx)` +
  (before === undefined ? '. ' : `; it had ${before}. `) +
  'Set `window` under [arms.NAME] in config.toml for another size.'
