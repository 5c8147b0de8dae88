/**
 * Takes new executable configuration out of the project and puts back what was there before. What is taken is kept
 * outside the project, where no command reaches it. All writing happens in a folder that is held open: a command that
 * still runs may exchange it for a link.
 */
import { randomBytes } from 'node:crypto'
import { chmod, copyFile, rename, symlink, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { writeAtomic } from '../../lib/atomic-write.ts'
import { ensureFolder } from '../../lib/ensure-folder.ts'
import { inHeldFolder } from '../../lib/held-folder.ts'
import { isInside } from '../../lib/path.ts'
import { spellRawName, toRawBytes } from '../../lib/raw-name.ts'
import { readRegular } from '../../lib/read-regular.ts'
import { type GitSetting, parseGitConfig, settingLines, settingText, withoutSettings } from './git-config.ts'
import { isHarmlessSetting } from './git-settings.ts'
import { type Item, lookAt } from './item.ts'

/** What a command made or changed. */
export type Finding = {
  readonly item: Item
  /** As it was; absent for something new. */
  readonly before?: Item
  /** The parts that were not there before. */
  readonly parts: readonly string[]
}

/** Where it is kept; nothing where nothing may be written down. */
export async function putAway(
  finding: Finding,
  root: string,
  store: string | undefined,
): Promise<string | undefined> {
  const keptAt = store === undefined ? undefined : await keepCopy(finding.item, store)
  await inHeldFolder(dirname(finding.item.path), (folder) => restore(finding, root, folder))
  return keptAt
}

async function keepCopy(item: Item, store: string): Promise<string | undefined> {
  const folder = join(store, `${Date.now().toString(36)}-${randomBytes(4).toString('hex')}`)
  await ensureFolder(folder)
  const copy = join(folder, basename(item.path))
  if (item.kind === 'other') return undefined
  if (item.kind === 'link') await writeFile(copy, `a link to ${item.target ?? ''}\n`, { mode: 0o600 })
  else if (item.content) await writeFile(copy, item.content, { mode: 0o600 })
  else await inHeldFolder(dirname(item.path), (held) => copyFile(join(held, basename(item.path)), copy))
  return copy
}

async function restore(finding: Finding, root: string, folder: string): Promise<void> {
  const { item, before } = finding
  const path = join(folder, basename(item.path))
  const text = configWithout(finding, root)
  if (text !== undefined) return writeAtomic(path, text, { mode: item.mode })
  await unlink(path)
  if (before && !isSameLink(finding)) await writeBack(before, path)
  else if (!before && isOwnConfig(item)) await writeAtomic(path, EMPTY_CONFIG, { mode: 0o644 })
}

/** What it leads to changed, not the link: as it was, it would lead there again. */
export const isSameLink = ({ item, before }: Finding): boolean =>
  before?.kind === 'link' && item.kind === 'link' && before.target === item.target

async function writeBack({ kind, content, target, mode }: Item, path: string): Promise<void> {
  if (kind === 'link') await symlink(target ?? '', path)
  else if (content) {
    await writeAtomic(path, content, { mode: mode & 0o777 })
    await chmod(path, mode & 0o777)
  }
}

/** Without it a folder is no repository any more. */
const EMPTY_CONFIG = '[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n'

const isOwnConfig = ({ entry, path }: Item): boolean =>
  entry.inRepository === true && basename(path).toLowerCase() === 'config'

/** Of git's configuration only the settings go that count; nothing where that is not possible. */
function configWithout({ item, before, parts }: Finding, root: string): string | undefined {
  if (item.entry.counts !== 'git-config' || item.kind !== 'file' || !item.content) return undefined
  const text = item.content.toString('utf8')
  const { settings, bad } = parseGitConfig(text)
  if (bad.length > 0) return undefined
  const kept = withoutSettings(
    text,
    settings.filter((setting) => parts.includes(settingText(setting))),
  )
  const lost = (before ? executableSettings(before, root) : []).filter(
    (setting) => !parseGitConfig(kept).settings.some((one) => settingText(one) === settingText(setting)),
  )
  const whole = [kept, ...lost.map(settingLines)].join(lost.length > 0 ? '\n' : '')
  const left = parseGitConfig(whole)
  const isClean =
    left.bad.length === 0 && !left.settings.some((setting) => parts.includes(settingText(setting)))
  return isClean ? whole : undefined
}

function executableSettings({ content, path }: Item, root: string): readonly GitSetting[] {
  const staysInside = (value: string): boolean => isInside(root, resolve(dirname(path), value))
  return parseGitConfig(content?.toString('utf8') ?? '').settings.filter(
    (setting) => !isHarmlessSetting(setting, staysInside),
  )
}

/** The person agreed: it goes where the command put it. */
export async function putBack({ item, parts }: Finding): Promise<void> {
  await inHeldFolder(dirname(item.path), async (folder) => {
    const path = join(folder, basename(item.path))
    if (item.entry.counts === 'git-config' && item.kind === 'file' && item.content) {
      const wanted = parseGitConfig(item.content.toString('utf8')).settings
      const lines = wanted.filter((setting) => parts.includes(settingText(setting))).map(settingLines)
      const now = await readRegular(path, 1024 * 1024).catch(() => undefined)
      return writeAtomic(path, [now?.bytes.toString('utf8') ?? '', ...lines].join('\n'), { mode: item.mode })
    }
    await unlink(path).catch(() => undefined)
    await writeBack(item, path)
  })
}

/**
 * What a command made under a name that is no text gets one that is, so that it can be looked at; how many there were.
 */
export async function spellOut(paths: readonly string[]): Promise<number> {
  const renamed = paths.map((path) =>
    inHeldFolder(dirname(path), async (folder) => {
      const name = spellRawName(basename(path))
      const isTaken = lookAt(join(folder, name)) !== undefined
      const free = isTaken ? `${name}-${randomBytes(4).toString('hex')}` : name
      await rename(toRawBytes(join(folder, basename(path))), join(folder, free))
    }).then(
      () => true,
      () => false,
    ),
  )
  return (await Promise.all(renamed)).filter(Boolean).length
}

/** A repository that a command made runs nothing of its own until it is configured to. */
export async function secureRepository(config: Item): Promise<void> {
  if (config.kind !== 'file' || !config.content) return
  const text = config.content.toString('utf8')
  const { settings } = parseGitConfig(text)
  const isSet = (key: string): boolean =>
    settings.some((setting) => setting.section === 'core' && setting.key === key)
  const lines = [
    ...(isSet('fsmonitor') ? [] : ['\tfsmonitor = false']),
    ...(isSet('hookspath') ? [] : ['\thooksPath =']),
  ]
  if (lines.length === 0) return
  const whole = `${text.replace(/\n?$/, '\n')}[core]\n${lines.join('\n')}\n`
  await inHeldFolder(dirname(config.path), (folder) =>
    writeAtomic(join(folder, basename(config.path)), whole, { mode: config.mode }),
  )
}
