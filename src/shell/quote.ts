/** Words as one line that bash, zsh and fish read back as the same words. */
export const shellWords = (words: readonly string[]): string => words.map(shellWord).join(' ')

/** A backslash means itself within quotes of bash but not of fish, so it stands outside, as a quote does. */
const shellWord = (word: string): string =>
  /^[\w./:=@%+,-]+$/.test(word)
    ? word
    : word
        .split(/(['\\])/)
        .map((part) => (/^['\\]$/.test(part) ? `\\${part}` : part === '' ? '' : `'${part}'`))
        .join('') || "''"
