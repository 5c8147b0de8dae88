/**
 * The part of the system every command sees: programs, libraries and their settings, read-only. What of it only root
 * may read is hidden, even when root runs Covey.
 */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
} from 'node:fs'
import { join } from 'node:path'
import { protectionOfName } from '../paths/protected-names.ts'

/** Something that is not to be seen, and what it is. */
export type Masked = { readonly path: string; readonly kind: 'file' | 'folder' }

export type SystemFacts = {
  /** Bound read-only. */
  readonly folders: readonly string[]
  /** Links at the top, as they are: `/bin` to `usr/bin`. */
  readonly links: readonly { readonly path: string; readonly to: string }[]
  readonly masked: readonly Masked[]
  /** Parts of the sandbox's own `/proc` that are read-only, and those that are hidden. */
  readonly frozen: readonly string[]
}

const TOP = '/usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt /nix /gnu /snap /sys'.split(' ')
/** Of /var and /run what programs read: fonts, package lists, resolvers. */
const PARTS =
  `/var/cache/fontconfig /var/cache/man /var/lib/dpkg /var/lib/rpm /var/lib/gems /var/lib/ca-certificates
  /var/lib/texmf /var/lib/ghc /run/current-system /run/opengl-driver
  /run/systemd/resolve/stub-resolv.conf /run/systemd/resolve/resolv.conf /run/resolvconf/resolv.conf
  /run/NetworkManager/resolv.conf /run/connman/resolv.conf`.split(/\s+/)

/** As container runtimes do it. */
const FROZEN = '/proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs'.split(' ')
const MASKED = `/proc/acpi /proc/asound /proc/kcore /proc/keys /proc/key-users /proc/kmsg /proc/latency_stats
  /proc/timer_list /proc/timer_stats /proc/sched_debug /proc/scsi /proc/kallsyms /proc/kpagecount /proc/kpageflags
  /proc/vmallocinfo /proc/slabinfo /sys/firmware /sys/kernel/debug /sys/kernel/tracing /sys/kernel/security /sys/fs/bpf
  /sys/fs/pstore /sys/devices/virtual/powercap /sys/hypervisor`.split(/\s+/)

export function gatherSystem(): SystemFacts {
  const top = TOP.filter((path) => existsSync(path))
  const links = top.flatMap((path) => (isLink(path) ? [{ path, to: readlinkSync(path) }] : []))
  const parts = PARTS.filter((path) => existsSync(path)).map((path) => realpathSync(path))
  return {
    folders: [...top.filter((path) => !isLink(path)), ...new Set(parts.filter(isPlain))],
    links,
    masked: [...MASKED.flatMap(toMasked), ...findPrivate('/etc')],
    frozen: FROZEN.filter((path) => existsSync(path)),
  }
}

const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink()
/** A link in /run may lead anywhere. */
const isPlain = (path: string): boolean => path.startsWith('/var/') || path.startsWith('/run/')

function toMasked(path: string): readonly Masked[] {
  const info = lstatSync(path, { throwIfNoEntry: false })
  if (info === undefined || info.isSymbolicLink() || !canRead(path)) return []
  return [{ path, kind: info.isDirectory() ? 'folder' : 'file' }]
}

const OTHERS = 0o007
const MOST_LOOKS = 20_000

/** Everything that not everyone may read, and what is named like a key, but not certificates. */
function findPrivate(root: string): readonly Masked[] {
  const found: Masked[] = []
  const queue = [root]
  let looks = 0
  for (let folder = queue.pop(); folder !== undefined && looks < MOST_LOOKS; folder = queue.pop()) {
    for (const dirent of list(folder).filter((each) => !each.isSymbolicLink())) {
      const path = join(folder, dirent.name)
      const kind = dirent.isDirectory() ? 'folder' : 'file'
      looks++
      const isPrivate = !isForEveryone(path) || isKey(dirent.name, folder)
      if (isPrivate && canRead(path)) found.push({ path, kind })
      if (!isPrivate && kind === 'folder') queue.push(path)
    }
  }
  return found
}

const isForEveryone = (path: string): boolean =>
  ((lstatSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS) !== 0

const list = (folder: string) => {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

const isKey = (name: string, folder: string): boolean =>
  protectionOfName(name, folder) === 'secret' && !/\.(?:pem|gpg)$/.test(name)

function canRead(path: string): boolean {
  try {
    accessSync(path, constants.R_OK)
    return true
  } catch {
    return false
  }
}
