/**
 * Which settings of git are harmless. Everything else may make git run something, read other configuration or work in
 * another folder: `core.fsmonitor`, `core.hooksPath`, `core.sshCommand`, pagers, editors, filters, drivers, aliases,
 * credential helpers, `include.path`, and what later versions add.
 */
import type { GitSetting } from './git-config.ts'

/** `staysInside` says whether a path, relative to the repository's folder, lies in the project. */
export function isHarmlessSetting(
  { section, subsection, key, value = 'true' }: GitSetting,
  staysInside: (path: string) => boolean,
): boolean {
  const name = subsection === undefined ? `${section}.${key}` : `${section}.*.${key}`
  if (name === 'core.worktree') return staysInside(value)
  const values = VALUES[name]
  if (values) return values.test(value)
  return HARMLESS.has(name) || (subsection === undefined && HARMLESS.has(`${section}.?`))
}

/** `section.?` stands for all keys of a section without a subsection, `section.*.key` for any subsection. */
const HARMLESS: ReadonlySet<string> = new Set(
  `user.? author.? committer.? advice.? color.? column.? status.? log.? init.defaultbranch init.defaultobjectformat
  core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase core.precomposeunicode
  core.symlinks core.autocrlf core.eol core.safecrlf core.quotepath core.abbrev core.compression core.loosecompression
  core.bigfilethreshold core.untrackedcache core.preloadindex core.sparsecheckout core.sparsecheckoutcone
  core.splitindex core.commitgraph core.multipackindex core.longpaths core.fscache core.protecthfs core.protectntfs
  core.sharedrepository core.whitespace core.trustctime core.checkstat core.fsync core.fsyncmethod
  core.fsyncobjectfiles core.createobject core.commentchar core.commentstring core.deltabasecachelimit
  core.packedgitlimit core.packedgitwindowsize core.packedrefstimeout core.filesreflocktimeout core.maxtreedepth
  core.warnambiguousrefs core.preferssymlinkrefs core.hidedotfiles core.useReplaceRefs
  remote.*.fetch remote.*.push remote.*.tagopt remote.*.prune remote.*.prunetags
  remote.*.mirror remote.*.skipdefaultupdate remote.*.skipfetchall remote.*.promisor remote.*.partialclonefilter
  remote.*.followremotehead
  branch.*.merge branch.*.rebase branch.*.description branch.?
  pull.rebase pull.ff pull.octopus pull.twohead push.default push.autosetupremote push.followtags push.recursesubmodules
  fetch.? merge.conflictstyle merge.ff merge.log merge.stat merge.renames merge.autostash merge.verbosity
  rebase.autosquash rebase.autostash rebase.updaterefs rebase.stat rebase.missingcommitscheck
  diff.algorithm diff.renames diff.colormoved diff.context diff.mnemonicprefix diff.noprefix diff.submodule
  diff.*.xfuncname diff.*.funcname diff.*.binary diff.*.wordregex diff.*.algorithm
  gc.auto gc.autopacklimit gc.autodetach gc.pruneexpire gc.reflogexpire gc.packrefs gc.worktreepruneexpire
  pack.? index.? feature.? rerere.? blame.? checkout.? apply.? transfer.? grep.? stash.? tag.? commit.? notes.? clone.?
  extensions.objectformat extensions.refstorage extensions.compatobjectformat extensions.noop
  extensions.partialclone extensions.worktreeconfig extensions.relativeworktrees extensions.preciousobjects
  submodule.*.active submodule.*.branch submodule.*.ignore submodule.*.path submodule.*.shallow
  submodule.*.fetchrecursesubmodules submodule.active submodule.recurse submodule.fetchjobs
  lfs.repositoryformatversion lfs.*.access maintenance.auto maintenance.strategy maintenance.*.enabled
  receive.denycurrentbranch receive.denynonfastforwards receive.denydeletes http.postbuffer versionsort.suffix`
    .toLowerCase()
    .split(/\s+/),
)

const SWITCH = /^(?:true|false|yes|no|on|off|1|0|)$/i

/** No option, and no `helper::address`, for which git starts the program `git-remote-helper`. */
const ADDRESS = /^(?!\s*-)(?!\s*[a-z0-9+.-]+::)/i

/** Keys that are harmless with some values. */
const VALUES: Readonly<Record<string, RegExp>> = {
  'core.fsmonitor': SWITCH,
  'core.hookspath': /^(?:|\/dev\/null)$/,
  'core.pager': /^(?:|cat|less)$/,
  'pack.packobjectshook': /^$/,
  'remote.*.url': ADDRESS,
  'remote.*.pushurl': ADDRESS,
  // A remote by its name, or an address.
  'remote.pushdefault': ADDRESS,
  'branch.*.remote': ADDRESS,
  'branch.*.pushremote': ADDRESS,
  'submodule.*.url': ADDRESS,
  'submodule.*.update': /^(?!\s*!)/,
  'gpg.format': /^(?:openpgp|x509|ssh)$/,
}
