/** A button with a list of actions under it; one that cannot be taken back is asked for again. */
import { useEffect, useRef, useState } from 'react'

export type MenuItem = {
  readonly label: string
  readonly isOff?: boolean
  /** The question before it is done. */
  readonly confirm?: string
  run(): void
}

export function Menu({ label, items }: { label: string; items: readonly MenuItem[] }) {
  const [isOpen, setOpen] = useState(false)
  const [asked, setAsked] = useState<MenuItem>()
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!isOpen) return
    const leave = (event: Event): void => {
      if (event.target instanceof Node && root.current?.contains(event.target)) return
      setOpen(false)
      setAsked(undefined)
    }
    document.addEventListener('pointerdown', leave)
    document.addEventListener('focusin', leave)
    return () => {
      document.removeEventListener('pointerdown', leave)
      document.removeEventListener('focusin', leave)
    }
  }, [isOpen])
  const take = (item: MenuItem): void => {
    if (item.confirm !== undefined && asked !== item) return setAsked(item)
    setOpen(false)
    setAsked(undefined)
    item.run()
  }
  return (
    <div className="menu" ref={root} onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}>
      <button
        type="button"
        className="quiet"
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        ⋯
      </button>
      {isOpen && <MenuList {...{ items, asked, take }} onKeep={() => setAsked(undefined)} />}
    </div>
  )
}

type ListProps = {
  readonly items: readonly MenuItem[]
  readonly asked: MenuItem | undefined
  take(item: MenuItem): void
  onKeep(): void
}

const MenuList = ({ items, asked, take, onKeep }: ListProps) => (
  <div className="menu-list">
    {asked ? (
      <>
        <p>{asked.confirm}</p>
        <button type="button" className="danger" autoFocus onClick={() => take(asked)}>
          {asked.label}
        </button>
        <button type="button" onClick={onKeep}>
          Keep
        </button>
      </>
    ) : (
      items.map((item) => (
        <button key={item.label} type="button" disabled={item.isOff} onClick={() => take(item)}>
          {item.label}
        </button>
      ))
    )}
  </div>
)
