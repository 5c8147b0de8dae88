/** Models on this machine, for the page: what is here, what fits, downloads that go on while no page is open. */
import type { ModelsView, PageService, PullState } from '../../protocol/page.ts'
import { errorMessage } from '../../protocol/error.ts'
import { type CatalogEntry, loadCatalog } from '../../models/catalog.ts'
import { fitModel, type FitLine } from '../../models/fit.ts'
import { listUnfinished, removeModel, removeUnfinished } from '../../models/local/change.ts'
import type { LocalModel } from '../../models/local/model.ts'
import { findLocal, listLocal, modelFolders, requireLocal } from '../../models/local/store.ts'
import type { Hardware } from '../../models/machine.ts'
import { fetchSource, findSource } from '../../models/pull.ts'
import type { AppContext } from '../open.ts'

export type ModelsParts = {
  readonly context: Pick<AppContext, 'paths' | 'config'>
  readonly env: NodeJS.ProcessEnv
  hardware(): Promise<Hardware>
}

type ModelsPage = Pick<PageService, 'models' | 'pull' | 'cancelPull' | 'removeModel'> & { close(): void }

export function modelsService({ context, env, hardware }: ModelsParts): ModelsPage {
  const { paths, config } = context
  const folders = modelFolders(paths.modelsFolder, paths.home, env)
  const pulls = createPulls(async (model, tell, signal) => {
    const catalog = await loadCatalog()
    const { source, doubt } = await findSource(model, { catalog, env, hardware })
    if (doubt !== undefined) tell({ note: doubt })
    const parts = { folder: folders.own, offline: config.offline, onProgress: tell }
    const { path } = await fetchSource(source, parts, signal)
    return path
  })
  return {
    async models() {
      const catalog = await loadCatalog()
      const [local, unfinished, machine] = await Promise.all([
        listLocal(folders, catalog),
        listUnfinished(folders.own),
        hardware(),
      ])
      return { ...viewOf(machine, catalog, local), unfinished, pulls: pulls.list() }
    },
    pull: async (model) => pulls.start(model),
    cancelPull: pulls.cancel,
    async removeModel(wanted) {
      const local = await listLocal(folders, await loadCatalog())
      const isUnfinished = (await listUnfinished(folders.own)).includes(wanted) && !findLocal(wanted, local)
      if (isUnfinished) await removeUnfinished(folders.own, wanted)
      else await removeModel(requireLocal(wanted, local))
    },
    close: pulls.close,
  }
}

type Fetch = (
  model: string,
  tell: (part: Partial<Pick<PullState, 'stage' | 'bytes' | 'total' | 'note'>>) => void,
  signal: AbortSignal,
) => Promise<string>

/** One download of a model at a time; those that are over stay to be read until the next one of the same model. */
function createPulls(fetch: Fetch) {
  const states = new Map<string, PullState>()
  const stops = new Map<string, AbortController>()
  const change = (model: string, part: Partial<PullState>): void => {
    states.set(model, { ...(states.get(model) ?? { model, state: 'running', bytes: 0 }), ...part })
  }
  const run = async (model: string, stop: AbortController): Promise<void> => {
    try {
      const path = await fetch(model, (part) => change(model, part), stop.signal)
      change(model, { state: 'done', note: path })
    } catch (error) {
      const state = stop.signal.aborted ? 'cancelled' : 'failed'
      change(model, { state, note: state === 'failed' ? errorMessage(error) : 'What has arrived is kept.' })
    } finally {
      stops.delete(model)
    }
  }
  return {
    list: (): readonly PullState[] => [...states.values()],
    start(model: string): void {
      if (stops.has(model)) return
      const stop = new AbortController()
      stops.set(model, stop)
      states.delete(model)
      change(model, {})
      void run(model, stop)
    },
    cancel: (model: string): void => stops.get(model)?.abort(),
    close: (): void => {
      for (const stop of stops.values()) stop.abort()
    },
  }
}

const PLACES = { gpu: 'graphics card', split: 'card and main memory', cpu: 'main memory', unknown: 'unknown' }

function viewOf(
  hardware: Hardware,
  catalog: readonly CatalogEntry[],
  local: readonly LocalModel[],
): Omit<ModelsView, 'unfinished' | 'pulls'> {
  const result = fitModel(hardware, catalog)
  return {
    hardware: describe(hardware),
    models: local.map(({ id, bytes, source, path }) => ({ id, bytes, source, path })),
    fits: result.lines.flatMap((line) => toFit(line, local)).toSorted((a, b) => b.rank - a.rank),
    tooLarge: result.lines
      .flatMap((line) =>
        'why' in line
          ? [
              {
                name: `${line.entry.name}:${line.entry.size}`,
                missingBytes: line.missingBytes,
                why: line.why,
              },
            ]
          : [],
      )
      .toSorted((a, b) => a.missingBytes - b.missingBytes),
    ...(result.ok && { best: result.choice.id }),
  }
}

function toFit(line: FitLine, local: readonly LocalModel[]) {
  if (!('fit' in line)) return []
  const { id, window, workers, bytes, speed, place, slow } = line.fit
  return [
    {
      id,
      title: line.entry.title,
      rank: line.entry.rank,
      window,
      workers,
      bytes,
      place: PLACES[place],
      isSlow: slow,
      isHere: findLocal(id, local) !== undefined,
      ...(speed !== undefined && { tokensPerSecond: speed }),
    },
  ]
}

const gib = (bytes: number | undefined): string =>
  bytes === undefined ? 'unknown' : `${(bytes / 2 ** 30).toFixed(1)} GiB`

function describe({ cores, ramFree, ramBytes, gpus, diskFree }: Hardware): string {
  const cards = gpus.map(({ name, freeBytes }) => `${name} (${gib(freeBytes)} free)`)
  return [
    `${cores ?? 'unknown'} cores`,
    `memory ${gib(ramFree)} free of ${gib(ramBytes)}`,
    `graphics ${cards.join(', ') || 'none found'}`,
    `disk ${gib(diskFree)} free`,
  ].join(' · ')
}
