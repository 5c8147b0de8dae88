/**
 * Machines on this network, by mDNS. Anybody can announce anything: what is heard is an address worth a try, kept in a
 * small table, and never more. Announced are a random name, the address, the port and the beginning of the id.
 */
import { randomBytes } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { Bonjour, type Browser, type Service } from 'bonjour-service'
import { toAddress } from './dial.ts'

export type Hint = {
  /** The beginning of the id it claims. */
  readonly id: string
  /** `host:port` */
  readonly address: string
}

export type DiscoveryParts = {
  /** The address whose network is listened to; absent = the system chooses. */
  readonly address?: string
  onHint(hint: Hint): void
  /** mDNS does not work here; everything else does. */
  onProblem(why: string): void
}

type Announcement = { readonly id: string; readonly address: string; readonly port: number }

export type Discovery = {
  announce(what: Announcement): void
  /** Asks the network again; answers come as hints. */
  look(): void
  close(): Promise<void>
}

const TYPE = 'covey'
const MAX_HEARD = 256

export async function startDiscovery({ address, onHint, onProblem }: DiscoveryParts): Promise<Discovery> {
  const isV4 = address !== undefined && !address.includes(':')
  // Bound to every address: one that is bound to a single one hears no multicast.
  const options = isV4 ? { interface: address, bind: '0.0.0.0' } : {}
  const bonjour = new Bonjour(options as object, (error: unknown) => onProblem(String(error)))
  // Its socket is not in its types, and an unhandled error of it would end the program.
  const { server } = bonjour as unknown as { readonly server: { readonly mdns: EventEmitter } }
  server.mdns.on('error', (error: unknown) => onProblem(String(error)))
  const hear = (service: Service) => {
    const hint = toHint(service)
    if (hint) onHint(hint)
    // A flood of made-up machines: what was heard is forgotten, so that it never grows.
    if (browser.services.length > MAX_HEARD) browser = listen()
  }
  let listening: Browser | undefined
  const listen = (): Browser => {
    listening?.stop()
    listening = bonjour.find({ type: TYPE })
    listening.on('up', hear)
    listening.on('srv-update', hear)
    listening.on('txt-update', hear)
    return listening
  }
  let browser = listen()
  return {
    announce(what) {
      publish(bonjour, what)
    },
    look() {
      browser.expire()
      for (const service of browser.services) hear(service)
      browser.update()
    },
    close: () =>
      new Promise((resolve) => {
        browser.stop()
        bonjour.unpublishAll(() => bonjour.destroy(() => resolve()))
      }),
  }
}

/**
 * How much of an id is announced: enough to know which machine to try, and every client that connects sees it anyway.
 */
export const announcedId = (id: string): string => id.slice(0, 16)

function publish(bonjour: Bonjour, { id, address, port }: Announcement): void {
  const name = `covey-${randomBytes(6).toString('hex')}`
  const txt = { v: '1', id: announcedId(id), a: address }
  const service = bonjour.publish({ name, type: TYPE, port, host: `${name}.local`, txt })
  const records = service.records.bind(service)
  // Only the address that was chosen: the machine's other addresses stay private.
  service.records = () =>
    records().filter(({ type, data }) => (type !== 'A' && type !== 'AAAA') || data === address)
}

function toHint({ txt, port, addresses, referer }: Service): Hint | undefined {
  const { id, a: told } = (txt ?? {}) as Record<string, unknown>
  const host = typeof told === 'string' ? told : (addresses?.[0] ?? referer?.address)
  const isHost = typeof host === 'string' && /^[0-9A-Za-z.:_-]{1,100}$/.test(host)
  if (typeof id !== 'string' || !/^[0-9a-f]{16}$/.test(id) || !isHost) return undefined
  return Number.isInteger(port) && port > 0 && port < 65_536
    ? { id, address: toAddress(host, port) }
    : undefined
}
