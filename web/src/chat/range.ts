/** Which rows of a long list lie in its pane. */

type Range = { readonly start: number; readonly end: number; readonly top: number; readonly bottom: number }

/** Of a row that was not measured yet. */
const GUESS = 90
/** What is drawn beyond the pane, above and below. */
const MARGIN = 900

/** Pure: which rows lie in the pane, and how high what is left out before and after them is. */
export function rangeOf(
  heights: readonly (number | undefined)[],
  count: number,
  view: { readonly top: number; readonly height: number },
): Range {
  const offsets = [0]
  for (let index = 0; index < count; index++) offsets.push((offsets[index] ?? 0) + (heights[index] ?? GUESS))
  const total = offsets[count] ?? 0
  const top = Math.min(view.top, Math.max(0, total - view.height))
  const start = Math.max(0, firstAbove(offsets, top - MARGIN) - 1)
  const end = Math.min(count, firstAbove(offsets, top + view.height + MARGIN))
  return { start, end, top: offsets[start] ?? 0, bottom: total - (offsets[end] ?? total) }
}

/** The first index whose offset is larger. */
function firstAbove(offsets: readonly number[], wanted: number): number {
  let low = 0
  let high = offsets.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((offsets[middle] ?? 0) > wanted) high = middle
    else low = middle + 1
  }
  return low
}
