/** Who answers, what may happen without a question, how full the window is, and taking back what was done. */
import { useEffect } from 'react'
import { useAction, useRemote } from '../api/use-remote.ts'
import { part } from '../api/call.ts'
import type { Line } from '../api/stream.ts'
import type { View } from '../../../src/view/view.ts'
import type { Access } from '../access.ts'
import { ErrorNote } from '../ui/note.tsx'
import { oneLine, thousands } from '../ui/text.ts'
import { change, type Choice, type Controls, restore, type Restored } from './controls.ts'

type Props = {
  readonly id: string
  readonly view: View
  readonly line: Line
  readonly access: Access
  say(text: string): void
}

export function StatusBar({ id, view, line, access, say }: Props) {
  const { value, reload } = useRemote<Controls>(`/v1/sessions/${part(id)}/controls`, 20_000)
  const { error, isBusy, run } = useAction()
  const runId = view.run?.runId
  useEffect(reload, [reload, runId])
  const use = (wish: Parameters<typeof change>[1]) => void run(async () => (await change(id, wish), reload()))
  const take = (action: 'undo' | 'redo') =>
    void run(async () => {
      say(describe(action, await restore(id, action)))
      reload()
    })
  const canUndo = value?.runs.some(({ isUndone }) => !isUndone) ?? false
  const canRedo = value?.runs.some(({ isUndone }) => isUndone) ?? false
  const isOff = isBusy || runId !== undefined || !access.has('tools')
  return (
    <div className="status">
      {value && value.mode.list.length > 0 && (
        <>
          <Picker
            label="Model"
            choice={value.arm}
            isOff={!access.has('approve')}
            none="chosen by Covey"
            onPick={(arm) => use({ arm })}
          />
          <Picker
            label="Mode"
            choice={value.mode}
            isOff={!access.has('approve')}
            onPick={(mode) => mode !== null && use({ mode })}
          />
        </>
      )}
      <ContextMeter view={view} />
      <span className="spacer" />
      {canUndo && <Restore name="Undo" isOff={isOff} onTake={() => take('undo')} />}
      {canRedo && <Restore name="Redo" isOff={isOff} onTake={() => take('redo')} />}
      <Connection line={line} />
      <ErrorNote text={error} />
    </div>
  )
}

const Restore = ({ name, isOff, onTake }: { name: string; isOff: boolean; onTake(): void }) => (
  <button type="button" disabled={isOff} onClick={onTake}>
    {name}
  </button>
)

export function describe(action: 'undo' | 'redo', { restored, conflicts, uncovered }: Restored): string {
  const verb = action === 'undo' ? 'Taken back' : 'Done again'
  return [
    restored.length > 0 ? `${verb}: ${restored.join(', ')}.` : 'No file was changed.',
    ...conflicts.map(({ path, why }) => `Left alone: ${path} (${why}).`),
    ...uncovered,
  ].join(' ')
}

type PickerProps = {
  readonly label: string
  readonly choice: Choice
  readonly isOff: boolean
  /** What "as configured" is called. */
  readonly none?: string
  onPick(name: string | null): void
}

function Picker({ label, choice, isOff, none, onPick }: PickerProps) {
  return (
    <span className="picker">
      <span aria-hidden="true">{label}</span>
      <select
        aria-label={label}
        value={choice.current ?? ''}
        disabled={isOff}
        title={isOff ? 'Needs a token with the scope `approve`' : undefined}
        onChange={(event) => onPick(event.target.value === '' ? null : event.target.value)}
      >
        {none !== undefined && <option value="">{none}</option>}
        {choice.list.map((name) => (
          <option key={name} value={name}>
            {oneLine(name)}
          </option>
        ))}
      </select>
    </span>
  )
}

function ContextMeter({ view: { status } }: { view: View }) {
  const { usage, window } = status
  if (!usage || window === undefined || window === 0) return null
  const used = usage.prompt + usage.completion
  const text = `${thousands(used)} of ${thousands(window)} tokens`
  const cached = usage.cached ? `, ${thousands(usage.cached)} from cache` : ''
  return (
    <span className="context" title={`${text}${cached}`}>
      <meter
        min={0}
        max={window}
        high={window * 0.8}
        value={Math.min(used, window)}
        aria-label="Context used"
      />
      <span>{text}</span>
    </span>
  )
}

function Connection({ line }: { line: Line }) {
  if (line.state === 'open' || line.state === 'connecting') return null
  return (
    <span className="lost" role="status">
      {line.state === 'lost' ? 'Connection lost, trying again' : oneLine(line.why)}
    </span>
  )
}
