/**
 * Draws only the rows that can be seen, however long the conversation is. Rows have any height: it is guessed until it
 * was measured. The list stays at its end while the person is there, and where the person scrolled to otherwise.
 */
import {
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'

import { rangeOf } from './range.ts'

type Props = {
  readonly count: number
  /** Changes when rows were put in front, so that what was measured no longer fits. */
  readonly generation: number
  row(index: number): ReactNode
  /** After the rows; always drawn. */
  readonly tail: ReactNode
  readonly label: string
}

const NEAR_END = 48

export function VirtualList({ count, generation, row, tail, label }: Props) {
  const pane = useRef<HTMLDivElement>(null)
  const { range, measure, onScroll, jump, isAtEnd } = useWindow(pane, count, generation)
  const shown = Array.from({ length: range.end - range.start }, (_, index) => range.start + index)
  return (
    <div className="log-frame">
      <div
        className="log"
        ref={pane}
        onScroll={onScroll}
        role="log"
        aria-live="off"
        aria-label={label}
        tabIndex={0}
      >
        <div className="log-inner">
          <div style={{ height: range.top }} />
          {shown.map((index) => (
            <Row key={index} index={index} measure={measure}>
              {row(index)}
            </Row>
          ))}
          <div style={{ height: range.bottom }} />
          {tail}
        </div>
      </div>
      {!isAtEnd && (
        <button type="button" className="to-end" onClick={jump}>
          ↓ To the end
        </button>
      )}
    </div>
  )
}

type Measure = (index: number, height: number) => void

function Row({ index, measure, children }: { index: number; measure: Measure; children: ReactNode }) {
  const element = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    measure(index, current.offsetHeight)
    const observer = new ResizeObserver(() => measure(index, current.offsetHeight))
    observer.observe(current)
    return () => observer.disconnect()
  }, [index, measure])
  return (
    <div ref={element} className="log-row">
      {children}
    </div>
  )
}

function useWindow(pane: RefObject<HTMLDivElement | null>, count: number, generation: number) {
  const heights = useRef<number[]>([])
  const known = useRef(generation)
  if (known.current !== generation) heights.current = []
  known.current = generation
  const isStuck = useRef(true)
  const [isAtEnd, setAtEnd] = useState(true)
  const [, redraw] = useState(0)
  const [view, setView] = useState({ top: Number.POSITIVE_INFINITY, height: 800 })
  const range = rangeOf(heights.current, count, view)
  const look = useCallback(() => {
    const { current } = pane
    if (!current) return
    const { scrollTop, clientHeight, scrollHeight } = current
    isStuck.current = scrollHeight - scrollTop - clientHeight < NEAR_END
    setAtEnd(isStuck.current)
    const top = Math.floor(scrollTop / 200) * 200
    setView((before) =>
      before.top === top && before.height === clientHeight ? before : { top, height: clientHeight },
    )
  }, [pane])
  const pin = useCallback(() => {
    const { current } = pane
    if (current && isStuck.current) current.scrollTop = current.scrollHeight
  }, [pane])
  useLayoutEffect(pin)
  useEffect(() => {
    const { current } = pane
    if (!current?.firstElementChild) return
    const observer = new ResizeObserver(() => (isStuck.current ? pin() : look()))
    observer.observe(current)
    observer.observe(current.firstElementChild)
    return () => observer.disconnect()
  }, [pane, pin, look])
  const measure = useCallback<Measure>((index, height) => {
    if (heights.current[index] === height) return
    heights.current[index] = height
    redraw((count) => count + 1)
  }, [])
  const jump = useCallback(() => {
    isStuck.current = true
    pin()
    look()
  }, [pin, look])
  return { range, measure, onScroll: look, jump, isAtEnd }
}
