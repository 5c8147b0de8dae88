/** Which hands are for what; nano/generate/worlds.py has the same. The others are for training. */

/** Scored at the end, by sums alone. */
export const TEST_HANDS: ReadonlySet<string> = new Set(
  (
    'backend frontend researcher student teacher android bioinfo firechief landlord brewer hotelier quant sre ' +
    'carpenter intern astronomer barista dataops designer luthier sysop ' +
    'schoolit fintech gymowner astrolab agency ferryops gopherapi mlops optician ' +
    'gridops ecologist flaskdev phpclub rustgame nodeteam'
  ).split(' '),
)

/** Neither trained nor tested on: what is chosen is chosen by them. */
export const VALIDATION_HANDS: readonly string[] = [
  'ngo',
  'qa',
  'clerk',
  'slapdash',
  'iot',
  'quilter',
  'pyshop',
  'warehouse',
]
