/** Machines that know each other: inviting one with a code, joining with a code, and ending it. */
import { useState } from 'react'
import type { FlockView, Invitation } from '../../../src/protocol/page.ts'
import { call } from '../api/call.ts'
import { useAction } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Empty, ErrorNote, Line } from '../ui/note.tsx'
import { Section } from '../ui/table.tsx'
import { oneLine } from '../ui/text.ts'

export function Pairing({ flock, reload }: { flock: FlockView; reload(): void }) {
  const action = useAction()
  const [invitation, setInvitation] = useState<Invitation>()
  const invite = async () => setInvitation(await call<Invitation>('/v1/page/peers/invite', { body: {} }))
  const remove = async (name: string) => {
    await call('/v1/page/peers/remove', { body: { name } })
    reload()
  }
  return (
    <Section
      title="Paired machines"
      aside={
        <Act action={action} run={invite}>
          Invite a machine
        </Act>
      }
    >
      <ErrorNote text={action.error} />
      {invitation && <Invited invitation={invitation} />}
      {flock.paired.length === 0 && !invitation && (
        <Empty title="No machine is paired yet. Invite one, or enter the code that another one shows." />
      )}
      <ul className="rows">
        {flock.paired.map(({ id, name, scopes }) => (
          <li key={id}>
            <bdi className="grow">{oneLine(name)}</bdi>
            <code className="faint">{id.slice(0, 8)}</code>
            <span className="faint">{scopes.join(', ')}</span>
            <Act action={action} className="quiet" label={`Remove ${oneLine(name)}`} run={() => remove(id)}>
              Remove
            </Act>
          </li>
        ))}
      </ul>
      <Join reload={reload} />
      {flock.strangers.length > 0 && (
        <p className="faint">
          Seen, not paired:{' '}
          {flock.strangers.map(({ id, address }) => `${oneLine(address)} (${id.slice(0, 8)})`).join(', ')}
        </p>
      )}
    </Section>
  )
}

function Invited({ invitation: { code, qr, addresses, isServing } }: { invitation: Invitation }) {
  return (
    <div className="card invited">
      <p>On the other machine, within 10 minutes:</p>
      <p>
        <Line text={`covey peers join ${code}`} />
      </p>
      {qr && <Qr rows={qr} />}
      <p className="faint">It will look for this machine at {addresses.join(', ') || 'no address'}.</p>
      {!isServing && (
        <p className="warning">
          No peer can get in yet: start the server with{' '}
          <Line text={`covey serve --federation --host ${addresses[0] ?? 'ADDRESS'}`} />
        </p>
      )}
    </div>
  )
}

/** Four light modules around it, as readers expect. */
function Qr({ rows }: { rows: readonly string[] }) {
  const size = rows.length + 8
  const path = rows
    .flatMap((row, y) => Array.from(row, (dark, x) => (dark === '1' ? `M${x + 4} ${y + 4}h1v1h-1z` : '')))
    .join('')
  return (
    <svg
      className="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="The code as a QR code"
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}

function Join({ reload }: { reload(): void }) {
  const [code, setCode] = useState('')
  const [done, setDone] = useState<string>()
  const action = useAction()
  const join = async () => {
    const { name } = await call<{ name: string }>('/v1/page/peers/join', { body: { code: code.trim() } })
    setDone(`Paired with ${name}.`)
    setCode('')
    reload()
  }
  return (
    <>
      <div className="form">
        <input
          aria-label="Code of another machine"
          placeholder="Code of another machine"
          value={code}
          onChange={(event) => setCode(event.target.value)}
        />
        <Act action={action} isOff={code.trim() === ''} run={join}>
          Join
        </Act>
      </div>
      <ErrorNote text={action.error} />
      {done !== undefined && <p role="status">{oneLine(done)}</p>}
    </>
  )
}
