/** An answer as it comes, drawn as the terminal draws it, below the shell's prompt. */
import type { SessionEvent } from '../../protocol/event.ts'
import type { Surface } from '../../shell/helper.ts'
import { drawItem, drawReply, drawTool } from '../../tui/items.ts'
import { stableLength } from '../../tui/open-reply.ts'
import { Screen } from '../../tui/screen.ts'
import { dim } from '../../tui/theme.ts'
import { reduceView } from '../../view/reduce.ts'
import { emptyView, type Item, withoutItems } from '../../view/view.ts'

export type AnswerView = { show(event: SessionEvent): void; end(): void }

/** The line and the proposals are shown by the shell; a call that became a proposal did not run. */
const isLeftOut = (item: Item): boolean =>
  item.kind === 'prompt' ||
  item.kind === 'proposal' ||
  (item.kind === 'end' && item.reason === 'cancelled') ||
  (item.kind === 'tool' && item.name === 'run_command')

export function createAnswerView(surface: Surface): AnswerView {
  const screen = new Screen(surface)
  let view = emptyView
  /** How much of the open reply is in the scrollback. */
  let written = 0
  const finish = (item: Item): readonly string[] => {
    const width = surface.columns
    if (isLeftOut(item)) return []
    if (item.kind !== 'reply') return drawItem(item, { width })
    const rest = item.text.slice(written)
    written = 0
    return drawReply(rest, width)
  }
  const draw = (finished: readonly string[]): void => {
    const width = surface.columns
    const { open } = view
    const stable = stableLength(open.text)
    const done = stable > written ? drawReply(open.text.slice(written, stable), width) : []
    if (stable > written) written = stable
    const live = [
      ...drawReply(open.text.slice(written), width),
      ...open.tools.filter((tool) => !isLeftOut(tool)).flatMap((tool) => drawTool(tool, { width })),
      // Always one line, which goes away at the end.
      dim('answering · Ctrl+C stops'),
    ]
    screen.draw({ finished: [...finished, ...done], live: live.slice(1 - Math.max(2, surface.rows)) })
  }
  return {
    show(event) {
      view = reduceView(view, event)
      if (event.type === 'reply-restart') written = 0
      const finished = view.items.flatMap(finish)
      view = withoutItems(view)
      draw(finished)
    },
    end: () => screen.leave(),
  }
}
