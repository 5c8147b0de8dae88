/** Where tools run: this machine, another one for the sessions here, or this one for others; each with its last call. */
import type { LastCall, ToolHostView } from '../../../src/protocol/page.ts'
import { Section } from '../ui/table.tsx'
import { StateHeader } from './state-header.tsx'
import { oneLine, plural, seconds, when } from '../ui/text.ts'

export const ToolHosts = ({ hosts }: { hosts: readonly ToolHostView[] }) => (
  <Section title="Tool hosts">
    <ul className="machines">
      {hosts.map((host) => (
        <Host key={`${host.kind} ${host.name}`} host={host} />
      ))}
    </ul>
  </Section>
)

function Host({ host }: { host: ToolHostView }) {
  const { kind, name, folder, rules, address, state, why = '', tools, lastCall } = host
  const isHere = state === 'here'
  return (
    <li className={`card tool-host ${state}`}>
      <StateHeader isHere={isHere} name={name} tag={TAGS[kind]} />
      {address !== undefined && <code className="faint">{oneLine(address)}</code>}
      {folder !== undefined && <code className="path">{oneLine(folder)}</code>}
      {rules !== undefined && <p className="faint">{oneLine(rules)}</p>}
      {!isHere && <p className="warning">{oneLine(why)}</p>}
      <Last call={lastCall} />
      {tools.length > 0 && (
        <details>
          <summary>{plural(tools.length, 'tool')}</summary>
          <p className="tools">
            {tools.map((tool) => (
              <code key={tool}>{oneLine(tool)}</code>
            ))}
          </p>
        </details>
      )}
    </li>
  )
}

const TAGS = { own: 'local', remote: 'remote', 'for-others': 'for others' } as const

function Last({ call }: { call: LastCall | undefined }) {
  if (!call) return <p className="faint">no call yet</p>
  const { tool, at, ms, ok, client } = call
  return (
    <p>
      <code>{oneLine(tool)}</code> {ok ? 'done' : 'failed'}{' '}
      <span className="faint">
        {when(at)}, {seconds(ms)}
        {client === undefined ? '' : `, for ${oneLine(client)}`}
      </span>
    </p>
  )
}
