/** Flags that every command has which opens the program: who answers, what it may do, and where. */
import type { CommandOption } from './command.ts'
import { permissionModeNames } from '../protocol/permission-modes.ts'

export const appOptions: readonly CommandOption[] = [
  {
    flags: '-m, --model <name>',
    description:
      'arm from the configuration, a model that `covey models` lists, FILE.gguf, or a model name with --base-url',
  },
  { flags: '--auto', description: 'the best downloaded model that fits this machine' },
  {
    flags: '--base-url <url>',
    description:
      'any OpenAI-compatible server, such as http://127.0.0.1:8080; its only model is used without --model',
  },
  {
    flags: '--api-key-env <name>',
    description: 'the variable that holds the key of that server (COVEY_API_KEY)',
  },
  { flags: '--provider <kind>', description: 'wire format: openai-compatible, openai, anthropic, google' },
  { flags: '--window <tokens>', description: 'the context window, if the server does not report it' },
  { flags: '--no-probe', description: 'do not ask the server for its context window first' },
  { flags: '-p, --permission <mode>', description: permissionModeNames },
  {
    flags: '--swarm <workers>',
    description: 'ask the model up to seven times and vote, when one answer is not enough',
  },
  {
    flags: '--tool-host <url>',
    description: 'run tools on another machine: peer/NAME, the address covey tools serve printed, or auto',
  },
  { flags: '--offline', description: 'no network except the configured models' },
  { flags: '--profile <name>', description: 'a profile of the configuration' },
  { flags: '--cwd <folder>', description: 'work in this folder' },
]
