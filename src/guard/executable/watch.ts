/**
 * Compares executable configuration around everything that runs. What changed while nothing of ours ran is the person's
 * own change and counts as known; what changed while a command ran is its change, and what of it would run unprompted
 * is withheld. One for all sessions in a project, because they all change the same files.
 */
import { basename, dirname } from 'node:path'
import { errorMessage } from '../../protocol/error.ts'
import type { ExecutableChanges, Withheld } from '../../protocol/tool.ts'
import type { Tree } from '../sandbox/tree.ts'
import { type Commits, noteCommits } from './commits.ts'
import { type Item, readItem, shownPath } from './item.ts'
import { fromCommits, type OpenProgram } from './objects.ts'
import { type Finding, isSameLink, putAway, putBack, secureRepository, spellOut } from './put-away.ts'
import { isObeyed, type Place, type Snapshot, takeSnapshot } from './snapshot.ts'

export type WatchParts = {
  readonly tree: Tree
  readonly place: Place
  /** Where withheld files are kept, outside the project; absent = nowhere. */
  readonly store?: string
  /** Starts git where it can only read. */
  readonly open: OpenProgram
}

export interface Watch {
  /** Before something starts. What it returns says that it is over, and compares. */
  begin(): Promise<() => Promise<ExecutableChanges>>
  /** Compares while something goes on. */
  compare(): Promise<ExecutableChanges>
  /** Whether this file, by its real path, would run unprompted under whatever name. */
  obeys(real: string): Promise<boolean>
}

export function createWatch(parts: WatchParts): Watch {
  const { tree, place } = parts
  const agreed = new Set<string>()
  let known: Snapshot | undefined
  let commits: Commits = new Set()
  let running = 0
  let last: Promise<unknown> = Promise.resolve()

  const inTurn = <T>(job: () => Promise<T>): Promise<T> => {
    const done = last.then(job)
    last = done.catch(() => undefined)
    return done
  }
  const look = async (): Promise<Snapshot> => takeSnapshot(await tree.refresh(), place, known)
  const compareNow = async (): Promise<ExecutableChanges> => {
    const before = known
    if (!before) return NOTHING
    const after = await lookNamed(before, look)
    const { findings, accepted } = await judge({ before, after, agreed, commits, open: parts.open })
    for (const part of accepted) agreed.add(part)
    const { withheld, gone } = await setAllAside(findings, parts, agreed)
    const fresh = await secureNew(before, after, place.root)
    known = findings.length + fresh > 0 ? judgedOf(await look(), { after, gone, agreed }) : after
    if (!after.complete) withheld.push(incomplete(place.root))
    return { withheld, started: startedBetween(before, after, place.root) }
  }
  return {
    begin() {
      const isFirst = running++ === 0
      return inTurn(async () => {
        if (!known) commits = noteCommits([...(known = await look()).repositories])
        else if (isFirst) known = await look()
        let isOver = false
        return () =>
          inTurn(async () => {
            const changes = await compareNow()
            if (!isOver) running--
            isOver = true
            return changes
          })
      }).catch((error: unknown) => {
        running--
        throw error
      })
    },
    compare: () => inTurn(() => (running > 0 ? compareNow() : Promise.resolve(NOTHING))),
    obeys: (real) => inTurn(async () => isObeyed(real, await look(), place)),
  }
}

/** What a command made under a name that is no text can be judged only under another. */
async function lookNamed(before: Snapshot, look: () => Promise<Snapshot>): Promise<Snapshot> {
  const after = await look()
  const made = [...after.unnamed].filter((path) => !before.unnamed.has(path))
  return made.length > 0 && (await spellOut(made)) > 0 ? look() : after
}

const NOTHING: ExecutableChanges = { withheld: [], started: [] }

type Judging = {
  readonly before: Snapshot
  readonly after: Snapshot
  readonly agreed: ReadonlySet<string>
  readonly commits: Commits
  readonly open: OpenProgram
}

type Judged = {
  readonly findings: readonly Finding[]
  /** Parts that need no question from now on. */
  readonly accepted: readonly string[]
}

async function judge({ before, after, agreed, commits, open }: Judging): Promise<Judged> {
  const changed = Array.from(after.items.values()).flatMap((item) => {
    const was = before.items.get(item.path)
    const parts = item.parts.filter(
      (part) => !was?.parts.includes(part) && !agreed.has(agreement(item, part)),
    )
    return parts.length === 0 ? [] : [{ item, parts, ...(was && { before: was }) }]
  })
  if (changed.length === 0) return { findings: [], accepted: [] }
  const old = await fromCommits(
    changed.map(({ item }) => item),
    { commits, open },
  )
  return {
    findings: changed.filter(({ item }) => !old.has(item)),
    accepted: [...old].flatMap((item) => item.parts.map((part) => agreement(item, part))),
  }
}

type Settled = {
  readonly after: Snapshot
  /** What was withheld, and the previous content. */
  readonly gone: ReadonlyMap<string, Item | undefined>
  readonly agreed: ReadonlySet<string>
}

/** Of a later look only what was judged: a job that goes on may have written the same again meanwhile. */
function judgedOf(now: Snapshot, { after, gone, agreed }: Settled): Snapshot {
  const items = new Map<string, Item>()
  for (const item of now.items.values()) {
    const { path } = item
    const was = gone.has(path) ? gone.get(path) : after.items.get(path)
    const isJudged = item.parts.every(
      (part) => was?.parts.includes(part) || agreed.has(agreement(item, part)),
    )
    if (isJudged) items.set(path, item)
    else if (was) items.set(path, was)
  }
  return { ...now, items }
}

const agreement = ({ path }: Item, part: string): string => `${path}\0${part}`

async function setAside(finding: Finding, parts: WatchParts, agreed: Set<string>): Promise<Withheld> {
  const { item, before } = finding
  const { root } = parts.place
  const about = {
    path: shownPath(item.path, root),
    does: item.entry.does,
    isNew: before === undefined || isSameLink(finding),
    shown: shownContent(finding),
  }
  try {
    const keptAt = await putAway(finding, root, parts.store)
    return {
      ...about,
      ...(keptAt !== undefined && { keptAt }),
      async keep() {
        for (const part of finding.parts) agreed.add(agreement(item, part))
        await putBack(finding)
      },
    }
  } catch (error) {
    return { ...about, problem: errorMessage(error) }
  }
}

async function setAllAside(findings: readonly Finding[], parts: WatchParts, agreed: Set<string>) {
  const withheld: Withheld[] = []
  const gone = new Map<string, Item | undefined>()
  for (const finding of findings) {
    const each = await setAside(finding, parts, agreed)
    withheld.push(each)
    if (each.problem === undefined) gone.set(finding.item.path, finding.before)
  }
  return { withheld, gone }
}

const MAX_SHOWN = 600

function shownContent({ item, parts }: Finding): string {
  if (item.kind === 'link') return `a link to ${item.target ?? ''}`
  if (item.entry.counts !== undefined) return parts.join('\n').slice(0, MAX_SHOWN)
  return item.content?.toString('utf8').slice(0, MAX_SHOWN) ?? ''
}

/** Repositories that were not there before get a configuration that runs nothing; how many there were. */
async function secureNew(before: Snapshot, after: Snapshot, root: string): Promise<number> {
  const configs = Array.from(after.items.values()).filter(
    ({ path, entry }) =>
      entry.inRepository &&
      basename(path) === 'config' &&
      after.repositories.has(dirname(path)) &&
      !before.repositories.has(dirname(path)),
  )
  for (const { path, entry } of configs) {
    // Read again: it may just have been put away in part.
    const config = readItem(path, { entry, root })
    if (config) await secureRepository(config).catch(() => undefined)
  }
  return configs.length
}

const incomplete = (root: string): Withheld => ({
  path: root,
  does: 'it may hold configuration that runs later: there are too many files to compare them all',
  isNew: false,
  shown: '',
  problem: 'the project could not be searched in time; remove what makes it so large, or search it yourself',
})

function startedBetween(before: Snapshot, after: Snapshot, root: string): readonly string[] {
  const changed = [...after.started].filter(([path, stamp]) => before.started.get(path) !== stamp)
  return changed.map(([path]) => shownPath(path, root)).toSorted()
}
