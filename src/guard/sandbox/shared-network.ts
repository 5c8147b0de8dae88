/**
 * One network for all commands of a session, with nothing in it but themselves: a server that one command started can
 * be reached by the next, and not from outside. An idle process keeps it open; commands enter it before they are
 * confined.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { tryProgram } from './context.ts'

export type SharedNetwork = {
  /** Put in front of a command, to run it in this network; `undefined` where that is not possible. */
  prefix(): Promise<readonly string[] | undefined>
  close(): void
}

export type NetworkPrograms = { readonly bwrap: string; readonly nsenter: string | undefined }

export function createSharedNetwork({ bwrap, nsenter }: NetworkPrograms): SharedNetwork {
  let holder: ChildProcess | undefined
  let entrance: Promise<readonly string[] | undefined> | undefined

  const open = async (): Promise<readonly string[] | undefined> => {
    if (nsenter === undefined) return undefined
    const child = spawn(bwrap, HOLDER, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] })
    holder = child
    child.once('error', () => {})
    child.once('exit', () => {
      // The next command gets a new one.
      if (holder === child) entrance = undefined
    })
    child.unref()
    const pid = await readPid(child)
    const places = [`--user=/proc/${pid}/ns/user`, `--net=/proc/${pid}/ns/net`]
    const prefix = [nsenter, ...places, '--preserve-credentials']
    const works = pid !== undefined && (await tryProgram([...prefix, bwrap, ...PROBE])).ok
    if (!works) child.kill('SIGKILL')
    return works ? prefix : undefined
  }
  return {
    prefix: () => (entrance ??= open()),
    close: () => void holder?.kill('SIGKILL'),
  }
}

const words = (text: string): readonly string[] => text.split(' ')

/**
 * No devices: with them there would be a namespace within the namespace, and the network would belong to the outer
 * one.
 */
const HOLDER = words(
  '--unshare-user --unshare-net --unshare-pid --die-with-parent --cap-drop ALL --ro-bind / / --info-fd 3 -- /bin/sleep 2147483647',
)
const PROBE = words(
  '--unshare-user --unshare-pid --cap-drop ALL --ro-bind / / --dev /dev --proc /proc -- /bin/sh -c :',
)

/** Bubblewrap says on its third channel which process lives in the new namespaces; it must be heard out. */
async function readPid(child: ChildProcess): Promise<number | undefined> {
  const chunks: Buffer[] = []
  for await (const chunk of (child.stdio[3] ?? []) as AsyncIterable<Buffer>) chunks.push(chunk)
  const pid = /"child-pid":\s*(\d+)/.exec(Buffer.concat(chunks).toString())?.[1]
  return pid === undefined ? undefined : Number(pid)
}
