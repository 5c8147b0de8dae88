/** Every slash command, as data: the help, the completion and what it does come from this list. */
import { renderRestored } from '../lib/restored.ts'
import { goBack } from './back.ts'
import { drawDiff } from './diff.ts'
import { type CommandUi, wholeView } from './ui.ts'
import { drawContext } from './context.ts'
import { helpLines } from './help.ts'
import { drawItem } from './items.ts'
import type { Talk } from './talk.ts'
import { currentTheme, themeNames } from './theme.ts'
import { pasteCommand } from './paste.ts'
import { actOnPlan } from './plan.ts'
import { oneLine, thousands } from './text.ts'

export type SlashCommand = {
  readonly name: string
  readonly aliases?: readonly string[]
  readonly argument?: string
  readonly help: string
  /** Absent = always there. */
  isThere?(talk: Talk): boolean
  run(ui: CommandUi, argument: string, talk: Talk): void | Promise<void>
}

/** What another command of the program prints. */
const asking = (name: string, help: string, ...words: readonly string[]): SlashCommand => ({
  name,
  help,
  isThere: ({ ask }) => ask !== undefined,
  async run({ face }, argument, { ask }) {
    face.say(
      (await ask?.([...(words.length > 0 ? words : [name]), ...argument.split(/\s+/).filter(Boolean)])) ?? '',
    )
  },
})

export const slashCommands: readonly SlashCommand[] = [
  { name: 'help', help: 'this list', run: ({ face }, _, talk) => face.print(helpLines(commandsFor(talk))) },
  {
    name: 'model',
    argument: '[arm]',
    help: 'choose who answers',
    isThere: ({ arms }) => arms !== undefined,
    run: (ui, argument, { arms }) => arms && choose(ui, { title: 'Who answers', choices: arms, argument }),
  },
  {
    name: 'mode',
    argument: '[mode]',
    help: 'what it may do without asking (Shift+Tab)',
    isThere: ({ modes }) => modes !== undefined,
    run: (ui, argument, { modes }) =>
      modes && choose(ui, { title: 'What it may do without asking', choices: modes, argument }),
  },
  {
    name: 'new',
    help: 'begin another conversation',
    isThere: ({ reopen }) => reopen !== undefined,
    run: (ui) => ui.reopen('new'),
  },
  {
    name: 'resume',
    argument: '[session]',
    help: 'go on with an earlier conversation',
    isThere: ({ reopen }) => reopen !== undefined,
    async run(ui, argument, { session }) {
      if (argument !== '') return ui.reopen({ id: argument })
      const items = (await session.list()).filter(({ id }) => id !== session.id).map(sessionItem)
      if (items.length === 0) return ui.face.say('There is no earlier conversation in this folder.')
      ui.pick('Go on with', items, (id) => ui.attempt(() => ui.reopen({ id })))
    },
  },
  {
    name: 'incognito',
    help: 'begin a conversation of which nothing is kept, with local models only',
    isThere: ({ reopen, isIncognito }) => reopen !== undefined && isIncognito !== true,
    async run(ui, _, { isIncognito }) {
      if (isIncognito)
        return ui.face.say('Nothing of this conversation is kept already; /new begins another one.')
      await ui.reopen('incognito')
      ui.face.say('Nothing of this conversation is kept. To leave it: quit, and start covey again.')
    },
  },
  {
    name: 'sessions',
    help: 'earlier conversations of this folder',
    async run({ face }, _, { session }) {
      const sessions = await session.list()
      face.say(sessions.map(({ id, title }) => `${id}  ${oneLine(title)}`).join('\n') || 'none yet')
    },
  },
  {
    name: 'fork',
    help: 'go on in a copy, this conversation stays as it is',
    isThere: ({ reopen }) => reopen !== undefined,
    run: (ui, _, { session }) => ui.reopen({ forkOf: session.id }),
  },
  {
    name: 'back',
    argument: '[number]',
    help: 'continue from before an earlier message (Esc Esc)',
    isThere: ({ back, reopen }) => back !== undefined && reopen !== undefined,
    run: goBack,
  },
  {
    name: 'undo',
    help: 'take back what the last run did to your files',
    isThere: hasUndo,
    run: (ui, _, talk) => moveFiles('undo', ui, talk),
  },
  {
    name: 'redo',
    help: 'do again what was undone',
    isThere: hasUndo,
    run: (ui, _, talk) => moveFiles('redo', ui, talk),
  },
  {
    name: 'diff',
    help: 'all changes of this conversation',
    async run({ face }, _, talk) {
      const { items } = await wholeView(talk, face.view.lastEventId)
      const done = items.flatMap((item) => (item.kind === 'tool' && item.state === 'ok' ? item.diff : []))
      if (done.length === 0) return face.say('Nothing was changed in this conversation.')
      face.print(['', ...done.flatMap((diff) => drawDiff(diff, face.width, 200))])
    },
  },
  {
    name: 'context',
    help: 'what fills the window',
    async run({ face }, _, { session }) {
      face.print(drawContext(await session.history(), face.view.status, face.width))
    },
  },
  { name: 'compact', help: 'shorten the conversation now', run: compact },
  {
    name: 'recap',
    help: 'tell the model what the last session was about',
    isThere: ({ recap }) => recap !== undefined,
    async run({ face }, _, { session, recap = '' }) {
      await session.command('exec-output', recap)
      face.say('The next message carries it.')
    },
  },
  {
    name: 'plan',
    argument: '[run|add|check]',
    help: 'the plan and its tasks; run works at them',
    isThere: ({ ask }) => ask !== undefined,
    run: actOnPlan,
  },
  asking('memory', 'what is remembered of this project'),
  asking('skills', 'skills there are; /name uses one'),
  asking('mcp', 'servers of tools'),
  asking('swarm', 'who would be asked, and how a vote ends'),
  asking('router', 'who was chosen, and why'),
  asking('permissions', 'what you allowed for good'),
  asking('doctor', 'what works on this machine and what does not'),
  {
    name: 'subagents',
    help: 'agents at work in this run',
    run({ face }) {
      const { subagents } = face.view.open
      if (subagents.length === 0) return face.say('No subagent is at work.')
      face.print(subagents.flatMap((agent) => drawItem(agent, { width: face.width })))
    },
  },
  {
    name: 'cost',
    help: 'tokens this conversation has used',
    run({ face }) {
      const { prompt = 0, completion = 0, requests = 0 } = face.view.status.spent ?? {}
      face.say(`${requests} requests: ${thousands(prompt)} tokens read, ${thousands(completion)} written.`)
    },
  },
  {
    name: 'export',
    argument: '[md|json|html]',
    help: 'this conversation as text',
    isThere: ({ ask }) => ask !== undefined,
    async run({ face }, argument, { ask, session }) {
      face.say((await ask?.(['sessions', 'export', session.id, argument || 'md'])) ?? '')
    },
  },
  {
    name: 'copy',
    help: 'the last answer to the clipboard',
    async run(ui, _, { session }) {
      const answers = (await session.history()).filter(
        ({ role, text }) => role === 'assistant' && text.trim() !== '',
      )
      const last = answers.at(-1)
      if (!ui.copy)
        return ui.face.say('There is no clipboard in plain mode; /export prints the conversation.')
      if (!last) return ui.face.say('There is no answer yet.')
      ui.copy(last.text)
      ui.face.say(`Copied ${last.text.length} characters, where the terminal allows it (OSC 52).`)
    },
  },
  {
    name: 'init',
    help: 'write AGENTS.md: how this project is built, tested and laid out',
    isThere: ({ expands }) => expands?.('/init') === true,
    // The skill of this name is what is run; this is where there is none.
    run: ({ face }) =>
      face.say('The skill "init" is not installed here. `covey skills` lists those that are.'),
  },
  pasteCommand,
  {
    name: 'shell',
    help: 'a shell in this folder; `exit` comes back',
    isThere: ({ shell }) => shell !== undefined,
    run: (ui) => ui.openShell(),
  },
  {
    name: 'theme',
    argument: '[name]',
    help: 'colours: standard, dark, light, mono',
    run: chooseTheme,
  },
  { name: 'editor', help: 'write the message in $EDITOR (Ctrl+G)', run: (ui) => ui.editInput() },
  {
    name: 'clear',
    help: 'begin another conversation on an empty screen',
    isThere: ({ reopen }) => reopen !== undefined,
    run: clear,
  },
  { name: 'quit', aliases: ['exit'], help: 'end (Ctrl+D, or Ctrl+C twice)', run: (ui) => ui.quit() },
]

export const commandsFor = (talk: Talk | undefined): readonly SlashCommand[] =>
  slashCommands.filter(({ isThere }) => talk === undefined || (isThere?.(talk) ?? true))

export const findCommand = (name: string): SlashCommand | undefined =>
  slashCommands.find((command) => command.name === name || command.aliases?.includes(name))

const sessionItem = ({ id, title, updatedAt }: { id: string; title: string; updatedAt: number }) => ({
  value: id,
  label: oneLine(title) || id,
  description: `${new Date(updatedAt).toISOString().slice(0, 16).replace('T', ' ')} ${id}`,
})

type Choosing = {
  readonly title: string
  readonly choices: NonNullable<Talk['arms']>
  readonly argument: string
}

function choose(ui: CommandUi, { title, choices, argument }: Choosing): void {
  const use = (name: string): void => {
    choices.use(name)
    ui.face.redraw()
  }
  const all = choices.list()
  if (argument !== '') {
    if (all.includes(argument)) return use(argument)
    return ui.face.say(`There is no "${argument}"; there are ${all.join(', ')}.`)
  }
  const items = all.map((name) => ({
    value: name,
    label: oneLine(name),
    ...(name === choices.current() && { description: 'now' }),
  }))
  ui.pick(title, items, use)
}

function chooseTheme(ui: CommandUi, argument: string): void {
  if (!ui.keepTheme) return ui.face.say('There are no colours here.')
  const use = (name: string): void => ui.keepTheme?.(name)
  const choices = { current: currentTheme, list: () => themeNames, use }
  choose(ui, { title: 'Colours', choices, argument })
}

function hasUndo({ undo }: Talk): boolean {
  return undo !== undefined
}

/** The model believes its changes are still there, so the next message carries a note. */
async function moveFiles(way: 'undo' | 'redo', { face }: CommandUi, { undo, session }: Talk): Promise<void> {
  if (!undo) return
  const text = renderRestored(await undo[way](), way === 'undo' ? 'Undid' : 'Did again')
  face.say(text.trimEnd())
  await session.command('exec-output', `The person typed /${way}. ${text}`)
}

async function compact({ face }: CommandUi, _: string, { session }: Talk): Promise<void> {
  const before = face.compactions
  await session.command('compact')
  // The follower of the session reads the event a moment later.
  for (let look = 0; look < 20 && face.compactions === before; look++)
    await new Promise((resolve) => setTimeout(resolve, 10))
  if (face.compactions === before) face.say('Nothing to gain: the conversation is short already.')
}

async function clear(ui: CommandUi): Promise<void> {
  ui.face.print(Array.from({ length: 100 }, () => '').slice(0, ui.face.height))
  await ui.reopen('new')
}
