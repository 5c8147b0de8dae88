/** The frame around every page: who may come in, where one can go, and the page that was chosen. */
import { type ComponentType, lazy, Suspense, useCallback, useEffect, useState } from 'react'
import { AccessContext, type About, accessOf, type Access } from './access.ts'
import { takeCode, tokenOf } from './api/access.ts'
import { call, whenLoggedOut } from './api/call.ts'
import { ApiError, messageOf } from './api/error.ts'
import { ChatPage } from './chat/chat-page.tsx'
import { useRoute } from './route.ts'
import { Line } from './ui/note.tsx'
import { clean } from './ui/text.ts'

/** The files of a page are gone when the server was updated while the tab was open. */
const load = (page: () => Promise<ComponentType>) =>
  lazy(async () => ({ default: await page().catch(() => Outdated) }))

const Outdated = () => (
  <div role="alert">
    <p>This tab is older than the server, and this page is no longer there. Reload the tab to open it.</p>
    <button type="button" className="primary" onClick={() => location.reload()}>
      Reload
    </button>
  </div>
)

const pages: readonly { readonly name: string; readonly title: string; readonly Page: ComponentType }[] = [
  {
    name: 'flock',
    title: 'Flock',
    Page: load(async () => (await import('./flock/flock-page.tsx')).FlockPage),
  },
  {
    name: 'arms',
    title: 'Arms',
    Page: load(async () => (await import('./arms/arms-page.tsx')).ArmsPage),
  },
  {
    name: 'models',
    title: 'Models',
    Page: load(async () => (await import('./models/models-page.tsx')).ModelsPage),
  },
  {
    name: 'memory',
    title: 'Memory',
    Page: load(async () => (await import('./knowledge/knowledge-page.tsx')).KnowledgePage),
  },
  {
    name: 'safety',
    title: 'Safety',
    Page: load(async () => (await import('./safety/safety-page.tsx')).SafetyPage),
  },
]

type Gate =
  | { readonly state: 'opening' }
  | { readonly state: 'in'; readonly access: Access }
  | { readonly state: 'out'; readonly why?: string }
  | { readonly state: 'away'; readonly why: string }

const AGAIN_MS = 2_000

/** Redeemed once, however often a component is mounted. */
let taking: Promise<void> | undefined

async function enter(): Promise<Gate> {
  try {
    taking ??= takeCode()
    await taking
    const about = await call<About>('/v1/page')
    return { state: 'in', access: accessOf(about) }
  } catch (error) {
    if (error instanceof ApiError && error.status < 500)
      return {
        state: 'out',
        ...((error.code === 'code_wrong' || tokenOf() !== undefined) && { why: messageOf(error) }),
      }
    return { state: 'away', why: messageOf(error) }
  }
}

export function App() {
  const [gate, setGate] = useState<Gate>({ state: 'opening' })
  const look = useCallback(() => void enter().then(setGate), [])
  useEffect(() => {
    whenLoggedOut(() => setGate({ state: 'out' }))
    look()
  }, [look])
  useEffect(() => {
    if (gate.state !== 'away') return
    const timer = setTimeout(look, AGAIN_MS)
    return () => clearTimeout(timer)
  }, [gate, look])
  if (gate.state === 'opening') return null
  if (gate.state !== 'in') return <Door gate={gate} />
  return (
    <AccessContext value={gate.access}>
      <Frame access={gate.access} />
    </AccessContext>
  )
}

function Door({ gate }: { gate: Extract<Gate, { state: 'out' | 'away' }> }) {
  return (
    <main className="door">
      <h1>Covey</h1>
      {gate.state === 'away' ? (
        <p role="status">{clean(gate.why)} Trying again.</p>
      ) : (
        <>
          <p>This tab has no access. Open the page from a terminal on this machine:</p>
          <p>
            <Line text="covey web" />
          </p>
          {gate.why !== undefined && <p className="faint">{clean(gate.why)}</p>}
        </>
      )}
    </main>
  )
}

function Frame({ access }: { access: Access }) {
  const { page, rest } = useRoute()
  const chosen = pages.find(({ name }) => name === page)
  const title = chosen?.title ?? 'Chat'
  useEffect(() => {
    document.title = `${title} · Covey`
  }, [title])
  return (
    <div className="frame">
      <a className="skip" href="#main" onClick={skip}>
        To the content
      </a>
      <header className="top">
        <strong className="brand">Covey</strong>
        <nav aria-label="Pages">
          {[{ name: 'chat', title: 'Chat' }, ...pages].map((each) => (
            <a
              key={each.name}
              href={`#/${each.name}`}
              aria-current={each.title === title ? 'page' : undefined}
            >
              {each.title}
            </a>
          ))}
        </nav>
        {!access.has('tools') && <span className="tag">read only</span>}
      </header>
      {chosen ? (
        <main className="page" id="main" tabIndex={-1}>
          <Suspense fallback={<p className="faint">Opening…</p>}>
            <chosen.Page />
          </Suspense>
        </main>
      ) : (
        <ChatPage id={rest} />
      )}
    </div>
  )
}

/** The fragment belongs to the route. */
function skip(event: { preventDefault(): void }): void {
  event.preventDefault()
  const main = document.querySelector('main')
  main?.setAttribute('tabindex', '-1')
  main?.focus()
}
