/** Lines over time, drawn by uPlot in the colours of the page. */
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'

type Curve = { readonly label: string; readonly colour: string; readonly values: readonly number[] }

type Props = { readonly times: readonly number[]; readonly curves: readonly Curve[]; readonly label: string }

const HEIGHT = 180

export function Plot({ times, curves, label }: Props) {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { current } = element
    if (!current) return
    const style = getComputedStyle(current)
    const soft = style.getPropertyValue('color')
    const colourOf = (name: string) => resolve(current, name)
    const axis = {
      stroke: soft,
      grid: { stroke: colourOf('--line'), width: 1 },
      ticks: { stroke: colourOf('--line') },
    }
    const plot = new uPlot(
      {
        width: current.clientWidth,
        height: HEIGHT,
        legend: { show: curves.length > 1, live: false },
        cursor: { show: false },
        axes: [axis, { ...axis, size: 56 }],
        series: [
          {},
          ...curves.map(({ label: name, colour }) => ({
            label: name,
            stroke: colourOf(colour),
            width: 2,
            points: { show: times.length < 20 },
          })),
        ],
      },
      [times.map((at) => at / 1000), ...curves.map(({ values }) => [...values])],
      current,
    )
    const observer = new ResizeObserver(() => plot.setSize({ width: current.clientWidth, height: HEIGHT }))
    observer.observe(current)
    return () => {
      observer.disconnect()
      plot.destroy()
    }
  }, [times, curves])
  return <div className="plot" ref={element} role="img" aria-label={label} />
}

/** `light-dark()` is only resolved in a property that takes a colour. */
function resolve(element: HTMLElement, name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  element.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
