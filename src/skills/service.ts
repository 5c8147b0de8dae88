/** Skills, promoted functions and plugins for a person: what there is, what is in it, agreeing to it, trying it. */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegular } from '../lib/read-regular.ts'
import { AppError } from '../protocol/error.ts'
import type { Trust } from '../protocol/guard.ts'
import type { SkillEntry, SkillsService } from '../protocol/skills-service.ts'
import type { Exec } from '../protocol/tool.ts'
import { nearest } from '../lib/nearest.ts'
import { type Outcome, runExample } from './function-language.ts'
import { readFolder } from './folder-content.ts'
import { type OpenedSkills, openSkills, type SkillFolders } from './open.ts'
import { addPlugin, type Plugin, removePlugin } from './plugins.ts'
import type { Promoted } from './promoted-store.ts'
import { languages } from './promoted-tool.ts'
import type { Skill } from './skill.ts'

export type SkillsServiceParts = {
  readonly folders: SkillFolders
  readonly trust: Trust
  /** A sandbox to try functions in; throws where there is none. */
  openExec(): Promise<Exec & { close(): Promise<void> }>
}

export function createSkillsService(parts: SkillsServiceParts): SkillsService {
  const { folders, trust } = parts
  const shelf = { folder: folders.plugins, trust }
  const open = () => openSkills(folders, trust)
  return {
    async list() {
      const opened = await open()
      return { entries: await entriesOf(opened), warnings: opened.warnings }
    },
    async show(name) {
      const found = requireNamed(await open(), name)
      if (found.kind === 'function') return (await found.store.read(found.promoted)).source
      return found.kind === 'plugin' ? showPlugin(found.plugin) : showSkill(found.skill)
    },
    async trust(name) {
      const found = requireNamed(await open(), name)
      if (found.kind === 'skill') await trust.add(found.skill.folder, found.skill.contentHash)
      else if (found.kind === 'plugin') await trust.add(found.plugin.folder, found.plugin.contentHash)
      else await trust.add(found.store.pathOf(name), (await found.store.read(found.promoted)).hash)
    },
    async remove(name) {
      const found = requireNamed(await open(), name)
      if (found.kind === 'function') {
        await found.store.remove(name)
        await trust.remove(found.store.pathOf(name))
      } else if (found.kind === 'skill') await removeSkill(found.skill)
      else await removePlugin(name, shelf)
    },
    async test(name, signal) {
      const found = requireNamed(await open(), name)
      if (found.kind === 'function') return tryFunction(found, parts, signal)
      return { ok: true, text: 'it can be read' }
    },
    addPlugin: async (folder) => (await addPlugin(folder, shelf)).name,
    async removePlugin(name) {
      if (!(await removePlugin(name, shelf)))
        throw wrong(`there is no plugin "${name}"; covey skills plugin ls lists them.`)
    },
  }
}

const MAX_SKILL = 10 * 1024 * 1024

/** Everything a person agrees to: what is not shown is at least named. */
async function showSkill({ folder, files }: Skill): Promise<string> {
  const file = await readRegular(join(folder, 'SKILL.md'), MAX_SKILL)
  const text = file?.bytes.toString('utf8') ?? '[SKILL.md cannot be shown: it is no plain file, or too large]'
  return [text.trimEnd(), ...(files.length > 0 ? [`[in ${folder}: ${files.join(', ')}]`] : [])].join('\n\n')
}

async function showPlugin({ name, description, folder, hooks, mcpServers }: Plugin): Promise<string> {
  const { files } = await readFolder(folder)
  return [
    `${name}: ${description}`,
    ...hooks.map((hook) => `hook ${hook.event}: ${hook.type === 'command' ? hook.command : hook.prompt}`),
    ...Object.entries(mcpServers).map(([server, how]) => `server ${server}: ${JSON.stringify(how)}`),
    `[in ${folder}: ${files.map(({ path }) => path).join(', ')}]`,
  ].join('\n')
}

const wrong = (message: string): AppError => new AppError('config-invalid', message)

async function entriesOf(opened: OpenedSkills): Promise<readonly SkillEntry[]> {
  const { skills, untrusted, functions, plugins, changedPlugins } = opened
  const ofSkill =
    (isTrusted: boolean) =>
    ({ name, place, description }: Skill): SkillEntry => ({
      name,
      kind: 'skill',
      from: place,
      description,
      isTrusted,
    })
  const ofPlugin =
    (isTrusted: boolean) =>
    ({ name, description }: Plugin): SkillEntry => ({
      name,
      kind: 'plugin',
      from: 'plugin',
      description,
      isTrusted,
    })
  const ofFunction = async (promoted: Promoted): Promise<SkillEntry> => {
    const { name, language, description } = promoted
    const now = await functions.store.read(promoted).catch(() => undefined)
    const isTrusted = now !== undefined && functions.trust.isTrusted(functions.store.pathOf(name), now.hash)
    return { name, kind: 'function', from: language, description, isTrusted }
  }
  return [
    ...skills.map(ofSkill(true)),
    ...untrusted.map(ofSkill(false)),
    ...(await Promise.all(functions.known.map(ofFunction))),
    ...plugins.map(ofPlugin(true)),
    ...changedPlugins.map(ofPlugin(false)),
  ]
}

type Named =
  | { readonly kind: 'skill'; readonly skill: Skill }
  | { readonly kind: 'plugin'; readonly plugin: Plugin }
  | ({ readonly kind: 'function'; readonly promoted: Promoted } & Pick<OpenedSkills['functions'], 'store'>)

/** What is not trusted comes first: it is what a person asks about. */
function requireNamed(
  { skills, untrusted, functions, plugins, changedPlugins }: OpenedSkills,
  name: string,
): Named {
  const skill = [...untrusted, ...skills].find((each) => each.name === name)
  if (skill) return { kind: 'skill', skill }
  const promoted = functions.known.find((each) => each.name === name)
  if (promoted) return { kind: 'function', promoted, store: functions.store }
  const plugin = [...changedPlugins, ...plugins].find((each) => each.name === name)
  if (plugin) return { kind: 'plugin', plugin }
  const names = [...skills, ...untrusted, ...functions.known, ...plugins, ...changedPlugins].map(
    (each) => each.name,
  )
  const near = nearest(name, names)
  throw wrong(
    `there is no skill "${name}"; ${near ? `did you mean ${near}?` : 'covey skills ls lists them.'}`,
  )
}

async function removeSkill({ name, place, folder }: Skill): Promise<void> {
  if (place === 'user') return rm(folder, { recursive: true, force: true })
  throw wrong(`${name} ${WHOSE[place](folder)}.`)
}

const WHOSE: Readonly<Record<Exclude<Skill['place'], 'user'>, (folder: string) => string>> = {
  bundled: () => 'comes with covey; one of the same name in your own skills takes its place',
  plugin: () => 'belongs to a plugin; `covey skills plugin rm` removes that as a whole',
  project: (folder) => `belongs to the project; delete ${folder}, or change it to be asked again`,
}

async function tryFunction(
  { promoted, store }: Extract<Named, { kind: 'function' }>,
  { trust, openExec }: SkillsServiceParts,
  signal: AbortSignal,
): Promise<Outcome> {
  const { name, language, function: inCode } = promoted
  const { source, hash } = await store.read(promoted)
  if (!trust.isTrusted(store.pathOf(name), hash)) {
    throw wrong(
      `${name} changed; look at it with \`covey skills show ${name}\` and \`covey skills trust ${name}\` first.`,
    )
  }
  const exec = await openExec()
  try {
    return await runExample(languages[language], { source, function: inCode }, { exec, signal })
  } finally {
    await exec.close()
  }
}
