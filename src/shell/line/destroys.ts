/**
 * Whether a line, run as a command, would destroy something. Looks for names anywhere a command may begin, and rather finds
 * too much: what it says only keeps a doubtful line from being run.
 */
const NAMES =
  /^(?:rm|rmdir|unlink|shred|dd|mkfs(?:\.\w+)?|wipefs|fdisk|parted|truncate|kill|pkill|killall|xkill|shutdown|reboot|halt|poweroff|init|dropdb|mv|userdel|groupdel|crontab|mke2fs|sgdisk|swapoff|zpool|lvremove|vgremove|cryptsetup|flatpak|snap|del|erase|format|trash|srm)$/

const CALLS: readonly RegExp[] = [
  /\bgit\s+(?:.*\s)?(?:reset|clean|checkout|restore|push|rebase|branch\s+.*-[dD]|stash\s+(?:drop|clear)|filter-branch|gc|reflog|rm)\b/,
  /\b(?:docker|podman)\s+(?:.*\s)?(?:rm|rmi|prune|kill|down|stop)\b/,
  /\bkubectl\s+(?:.*\s)?(?:delete|drain|replace)\b/,
  /\bterraform\s+(?:destroy|apply)\b/,
  /\bfind\b.*-(?:delete|exec)\b/,
  /\b(?:apt|apt-get|yum|dnf|brew|pacman|pip|npm)\s+(?:remove|purge|uninstall|autoremove|-R)\b/,
  /\b(?:drop|truncate|delete)\s+(?:table|database|from)\b/i,
  /(?:^|[^<>&\d])>{1}\s*[^\s&>(]/,
  /\bsed\b.*\s-\w*i/,
  /\btee\s+(?!-a)/,
  /\brsync\b.*--delete/,
  /\bxargs\b.*\brm\b/,
  /\bcrontab\s+-r\b/,
  /\b(?:systemctl|service)\s+(?:.*\s)?(?:stop|disable|mask|poweroff|reboot)\b/,
  /\bmake\s+(?:.*\s)?(?:clean|distclean|uninstall|purge|destroy)\b/,
  /\b(?:aws|gcloud|az|gsutil)\s.*\b(?:rm|delete|terminate\S*|rb)\b/,
]

export function destroys(line: string): boolean {
  const starts = line.split(
    /[;&|\n(){}`]+|\$\(|\b(?:sudo|doas|xargs|exec|nohup|time|env|then|do|else|command|builtin)\s/,
  )
  return (
    starts.some((part) => {
      const [word = ''] = part
        .trim()
        .replace(/^(?:-\S+\s+|\w+=\S*\s+)*/, '')
        .split(/\s/, 1)
      return NAMES.test(word.replace(/^\\/, '').replace(/^.*\//, ''))
    }) || CALLS.some((pattern) => pattern.test(line))
  )
}
