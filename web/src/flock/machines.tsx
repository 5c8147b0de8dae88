/** This machine and its peers as a picture: who is here, what each has, how busy it is and how far away. */
import type { FlockView, PeerView } from '../../../src/protocol/page.ts'
import { bytes, oneLine, plural, seconds } from '../ui/text.ts'
import { StateHeader } from './state-header.tsx'

export function Machines({ flock }: { flock: FlockView }) {
  const { self, peers } = flock
  return (
    <ul className="machines">
      <li className="card machine self">
        <StateHeader isHere name={self.name} tag="this machine" />
        <Load running={self.running} waiting={self.waiting} />
        <p className="faint">
          {bytes(self.freeMemory)} free{self.listening === undefined ? '' : ` · ${oneLine(self.listening)}`}
        </p>
        <ModelList models={self.models.map((id) => ({ id }))} />
      </li>
      {peers.map((peer) => (
        <Peer key={peer.id} peer={peer} />
      ))}
    </ul>
  )
}

function Peer({ peer }: { peer: PeerView }) {
  const { name, id, via, state, why = '', roundTripMs, freeMemory, models, running = 0, waiting = 0 } = peer
  const isHere = state === 'here'
  return (
    <li className={`card machine ${state}`}>
      <StateHeader isHere={isHere} name={name} tag={via === 'nats' ? 'NATS' : 'LAN'}>
        <code className="faint">{id.slice(0, 8)}</code>
      </StateHeader>
      {isHere ? (
        <>
          <Load running={running} waiting={waiting} />
          <p className="faint">
            {roundTripMs === undefined ? '' : `${seconds(roundTripMs)} away`}
            {freeMemory === undefined ? '' : ` · ${bytes(freeMemory)} free`}
          </p>
          <ModelList models={models} />
        </>
      ) : (
        <p className="warning">{oneLine(why) || 'not seen yet'}</p>
      )}
    </li>
  )
}

const Load = ({ running, waiting }: { running: number; waiting: number }) => (
  <p>
    {running === 0 && waiting === 0 ? 'idle' : `${plural(running, 'request')} at work`}
    {waiting > 0 ? `, ${waiting} waiting` : ''}
  </p>
)

type Offered = { readonly id: string; readonly tokensPerSecond?: number }

const ModelList = ({ models }: { models: readonly Offered[] }) => (
  <ul className="model-list">
    {models.length === 0 && <li className="faint">no models</li>}
    {models.map(({ id, tokensPerSecond }) => (
      <li key={id}>
        <code>{oneLine(id)}</code>
        {tokensPerSecond !== undefined && (
          <span className="faint"> {Math.round(tokensPerSecond)} tokens/s</span>
        )}
      </li>
    ))}
  </ul>
)
