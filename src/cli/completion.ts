/** `covey completion bash|zsh|fish`: what a shell needs to complete commands and flags. */
import { AppError } from '../protocol/error.ts'
import type { Command } from './command.ts'
import { promptCommand } from './run.ts'

type Words = { readonly names: readonly string[]; readonly flags: readonly string[] }

export const createCompletionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'Print a script that completes covey in your shell',
  usage: '<bash | zsh | fish>',
  examples: [
    'covey completion bash >> ~/.bashrc',
    'covey completion fish > ~/.config/fish/completions/covey.fish',
  ],
  async run({ args, io }) {
    const [shell = ''] = args
    const script = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined
    if (!script)
      throw new AppError(
        'config-invalid',
        `covey completion ${shell}: name your shell, one of ${Object.keys(scripts).join(', ')}.`,
      )
    const names = commands().map(({ name }) => name)
    const flags = (promptCommand.options ?? []).flatMap((option) => /--[\w-]+/.exec(option.flags)?.[0] ?? [])
    io.out(script({ names, flags }))
    return 0
  },
})

const scripts: Readonly<Record<string, (words: Words) => string>> = {
  bash: ({ names, flags }) => `_covey() {
  local word="\${COMP_WORDS[COMP_CWORD]}"
  if [[ $word == -* ]]; then COMPREPLY=($(compgen -W "${flags.join(' ')}" -- "$word"))
  elif [[ $COMP_CWORD == 1 ]]; then COMPREPLY=($(compgen -W "${names.join(' ')}" -- "$word"))
  else COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -o default -F _covey covey
`,
  zsh: ({ names, flags }) => `#compdef covey
_covey() {
  if [[ $words[CURRENT] == -* ]]; then compadd -- ${flags.join(' ')}
  elif (( CURRENT == 2 )); then compadd -- ${names.join(' ')}
  else _files; fi
}
compdef _covey covey
`,
  fish: ({ names, flags }) =>
    [
      `complete -c covey -n __fish_use_subcommand -f -a "${names.join(' ')}"`,
      ...flags.map((flag) => `complete -c covey -l ${flag.slice(2)}`),
      '',
    ].join('\n'),
}
