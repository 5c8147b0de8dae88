/** Memory bandwidth by the name a tool prints, from the makers' data sheets. A name that is not here has none known. */

const GB = 1e9

/** The more particular name stands first: an "RTX 4070 Ti SUPER" is no "RTX 4070". */
const RATES: readonly (readonly [RegExp, number])[] = [
  [/RTX 5090/i, 1792],
  [/RTX 5080/i, 960],
  [/RTX 5070 Ti/i, 896],
  [/RTX 5070/i, 672],
  [/RTX 5060/i, 448],
  [/RTX 4090/i, 1008],
  [/RTX 4080 SUPER/i, 736],
  [/RTX 4080/i, 717],
  [/RTX 4070 Ti SUPER/i, 672],
  [/RTX 4070/i, 504],
  [/RTX 4060 Ti/i, 288],
  [/RTX 4060/i, 272],
  [/RTX 3090/i, 936],
  [/RTX 3080 Ti/i, 912],
  [/RTX 3080/i, 760],
  [/RTX 3070/i, 448],
  [/RTX 3060 Ti/i, 448],
  [/RTX 3060/i, 360],
  [/\bL40S?\b/i, 864],
  [/\bL4\b/i, 300],
  [/A100.*80GB/i, 1935],
  [/A100/i, 1555],
  [/H200/i, 4800],
  [/H100.*PCIe/i, 2000],
  [/H100/i, 3350],
  [/\bT4\b/i, 320],
  [/RX 7900 XTX/i, 960],
  [/RX 7900 XT/i, 800],
  [/RX 7800 XT/i, 624],
  [/RX 6800/i, 512],
  [/Apple M4 Max/i, 410],
  [/Apple M4 Pro/i, 273],
  [/Apple M4/i, 120],
  [/Apple M3 Ultra/i, 819],
  [/Apple M3 Max/i, 300],
  [/Apple M3 Pro/i, 150],
  [/Apple M3/i, 100],
  [/Apple M[12] Ultra/i, 800],
  [/Apple M[12] Max/i, 400],
  [/Apple M[12] Pro/i, 200],
  [/Apple M2/i, 100],
  [/Apple M1/i, 68],
]

/** Bytes per second. */
export function bandwidthOf(name: string): number | undefined {
  // A laptop's card of the same name is another one, with less.
  if (/laptop|mobile|max-q/i.test(name)) return undefined
  const rate = RATES.find(([pattern]) => pattern.test(name))?.[1]
  return rate === undefined ? undefined : rate * GB
}
