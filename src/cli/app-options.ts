/** Flags that every command has which opens the program: who answers, what it may do, and where. */
import type { CommandOption } from './command.ts'

export const appOptions: readonly CommandOption[] = [
  {
    flags: '-m, --model <name>',
    description: 'arm from the configuration, name:size:quant, FILE.gguf, or a model name with --base-url',
  },
  { flags: '--auto', description: 'the best downloaded model that fits this machine' },
  {
    flags: '--base-url <url>',
    description: 'any OpenAI-compatible server, such as http://127.0.0.1:8080/v1',
  },
  { flags: '--provider <kind>', description: 'wire format: openai-compatible, openai, anthropic, google' },
  { flags: '--window <tokens>', description: 'the context window, where the server does not tell it' },
  { flags: '--no-probe', description: 'do not ask the server for its context window first' },
  { flags: '-p, --permission <mode>', description: 'ask, accept-edits, auto, read-only, deny or bypass' },
  {
    flags: '--swarm <workers>',
    description: 'ask the model up to seven times and vote, where one answer does not do',
  },
  {
    flags: '--tool-host <url>',
    description: 'run tools on another machine: peer/NAME, the address covey tools serve printed, or auto',
  },
  { flags: '--offline', description: 'no network except the configured models' },
  { flags: '--profile <name>', description: 'a profile of the configuration' },
  { flags: '--cwd <folder>', description: 'work in this folder' },
]
