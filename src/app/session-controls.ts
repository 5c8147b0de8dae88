/** What clients of the server may switch in a session and do with those on disk. */
import { AppError } from '../protocol/error.ts'
import type { KeptSession, SessionShelf } from '../server/parts.ts'
import { exportSession } from '../session/export.ts'
import type { AppContext } from './open.ts'
import type { AppSession } from './session.ts'
import type { SessionContext } from './session.ts'

/** What a person may switch between while a session is open; the other modes are chosen when Covey starts. */
const MODES = ['ask', 'accept-edits', 'auto', 'read-only'] as const

export function withControls({ answering }: Pick<AppContext, 'answering'>, session: AppSession): KeptSession {
  const { arm, mode, look, undo } = session
  const isSwitchable = MODES.some((name) => name === mode.current())
  const modes = isSwitchable ? MODES : [mode.current()]
  return Object.assign(session, {
    controls: {
      undo,
      files: look.files,
      mention: look.mention,
      arms: {
        current: () => arm.current(),
        list: () => answering.arms().map(({ id }) => id),
        use: (name: string | undefined) => arm.use(name),
      },
      modes: {
        current: () => mode.current(),
        list: () => modes,
        use(name: string | undefined) {
          const known = modes.find((each) => each === name)
          if (!known) throw new AppError('request-invalid', `"${name}" is not one of ${modes.join(', ')}.`)
          mode.use(known)
        },
      },
    },
  })
}

export const shelfOf = ({ store, root }: Pick<SessionContext, 'store' | 'root'>): SessionShelf => ({
  search: async (text) => (await store.search(text)).filter(({ info }) => info.cwd === root),
  fork: (id, messages) => store.fork(id, messages),
  remove: (id) => store.remove(id),
  export: async (id, format) => exportSession(await store.read(id), format),
})
