/**
 * Whether a word no shell knows is a program's name with two letters swapped, one left out or one doubled. Another letter in
 * place of one does not count: too many words of a sentence differ from a program by one letter (`made`, `take`).
 */

const programs: readonly string[] =
  `ls cd git sudo python python3 clear kubectl docker npm npx node make grep cat vim nano less tail head find ssh scp curl wget
  exit history mkdir rmdir touch chmod chown systemctl journalctl apt brew pip pip3 cargo yarn pnpm tmux htop kill echo
  export source which man top tar zip unzip ping ifconfig pacman terraform ansible helm psql mysql code rustc gcc java gradle
  php composer ruby bundle rsync diff awk sed sort xargs crontab service reboot squeue sbatch srun conda jupyter nvim emacs
  podman vagrant firefox whoami uname dmesg lsblk mount umount cmake meson ninja poetry pytest eslint prettier tsc`.split(
    /\s+/,
  )

/** Shorter names differ from too many words. */
const LONG = 5

export const isMistyped = (word: string): boolean =>
  word.length > 1 && !programs.includes(word) && programs.some((program) => isNear(word, program))

function isNear(word: string, program: string): boolean {
  if (word.length === program.length) return isSwapped(word, program)
  if (program.length < LONG || word[0] !== program[0]) return false
  return word.length < program.length
    ? isWithoutOne(word, program)
    : isWithoutOne(program, word) && isDoubled(word)
}

function isSwapped(word: string, program: string): boolean {
  const at = [...word].findIndex((letter, index) => letter !== program[index])
  return (
    at >= 0 &&
    word[at] === program[at + 1] &&
    word[at + 1] === program[at] &&
    word.slice(at + 2) === program.slice(at + 2)
  )
}

/** `short` is `long` with one letter left out. */
const isWithoutOne = (short: string, long: string): boolean =>
  short.length === long.length - 1 &&
  [...long].some((_, at) => long.slice(0, at) + long.slice(at + 1) === short)

const isDoubled = (word: string): boolean => /(.)\1/.test(word)
