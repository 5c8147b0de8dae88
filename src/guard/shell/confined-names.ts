/** Programs and variables that do no harm where nothing can be written and there is no network. Pure data. */

const set = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Print something, whatever their options; what they would write fails in a read-only sandbox. */
export const confinedReaders = set(`
  read set shopt unset shift break continue return wait let dirs times jobs hash ulimit getopts help history
  zgrep zegrep zfgrep bzgrep xzgrep zdiff zcmp zstdcat lz4cat zipinfo hd bat batcat eza exa lsd ag ack pcregrep pcre2grep
  fdfind tokei cloc scc xmllint csvcut csvgrep csvlook csvstat ldd c++filt addr2line bc findmnt mountpoint lsns b3sum xxhsum
  crc32 ffprobe mediainfo pdfinfo identify shellcheck yamllint jsonlint hadolint getfacl lsattr ipcs vmstat iostat mpstat
  dmesg last w nvidia-smi tput dircolors pkg-config pr ptx diff3 colordiff diffstat delta wdiff duf dust procs pstree pmap
  lslocks lsmem namei apt-cache dpkg-query zless zmore col colcrt `)

/** Readers with options that run, write, set or reach something: an argument like this is asked for. */
export const reachingOptions: ReadonlyMap<string, RegExp> = new Map([
  ...['rg', 'ripgrep'].map((name) => [name, /^--(?:pre|hostname-bin)/] as const),
  ['sort', /^--(?:comp|ou)|^-\w*[oT]/],
  ['shuf', /^--ou|^-\w*o/],
  ['tree', /^-\w*[oR]/],
  ['diff', /^--paginate|^-\w*l/],
  ['fd', /^-[xX]|^--exec/],
  ['fdfind', /^-[xX]|^--exec/],
  ['file', /^-\w*C|^--compile/],
  ...['strings', 'size', 'readelf', 'nm', 'objdump'].map((name) => [name, /^@|^--plugin/] as const),
  ['lsof', /^-\w*[DS]/],
  ['ss', /^-\w*[KD]|^--(?:kill|diag)/],
  ['netstat', /^$/],
  ['jq', /^$/],
  ['ps', /^$/],
  ['printf', /^$/],
  ['test', /^$/],
  ['[', /^$/],
  ['date', /^-\w*s|^--se|^\d{8,}/],
  ...['base64', 'base32'].map((name) => [name, /^-\w*o|^--output/] as const),
  ...['less', 'more', 'zless', 'zmore'].map((name) => [name, /^\+|^-\w*[oO]|^--log/] as const),
  ['man', /^-\w*[PH]|^--(?:pager|html)/],
  ['iconv', /^-\w*o|^--output/],
  ['yq', /^-\w*i|^--in-?place/],
  ['mapfile', /^-\w*C/],
  ['readarray', /^-\w*C/],
  ['dmesg', /^-\w*[cCDEn]|^--(?:clear|read-clear|console)/],
  ['xmllint', /^--(?:output|o$)/],
  ['history', /^-/],
  ['ldconfig', /^(?!-p$)/],
  ['ifconfig', /./],
  ['ip', /^(?!-|a$|addr|address|l$|link|r$|route|show|ls$|list|dev$|neigh|br)/],
])

/** `NAME=value` in front of a command that changes how something looks, not what runs. */
export function harmlessVariable(text: string): boolean {
  const [name = '', value = ''] = text.split(/=(.*)/s)
  if (/^(?:GIT_PAGER|PAGER|MANPAGER|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|CI)$/.test(name))
    return /^(?:cat|0|1|true|false|''|"")?$/.test(value)
  return /^(?:LC_[A-Z]+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR(?:_FORCE)?|COLUMNS|LINES|TERM|IFS|[a-z][a-z0-9_]*)$/.test(
    name,
  )
}
