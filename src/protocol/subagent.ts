/** An agent that an agent started: its own short conversation about one part of the work. All its events. */
export type SubagentEvent =
  | { readonly type: 'subagent-start'; readonly subagent: string; readonly task: string }
  /** What it does now, in one line. */
  | { readonly type: 'subagent-step'; readonly subagent: string; readonly text: string }
  | {
      readonly type: 'subagent-end'
      readonly subagent: string
      readonly ok: boolean
      /** The beginning of what it answered, or why it did not. */
      readonly text: string
      readonly turns: number
      readonly tokens: number
      readonly ms: number
      readonly changed: readonly string[]
    }
