/** Facts of the same kind of subjects as the hand-written ones, as many as wanted; none contradicts another. */

export function distractors(count: number, seed = 1): readonly string[] {
  const random = createRandom(seed)
  const facts = new Set<string>()
  while (facts.size < count) facts.add(fill(pick(TEMPLATES, random), random))
  return [...facts]
}

/** Generated facts with generated questions: the words of the question are partly others, the subject is the same. */
export function generatedPairs(count: number, seed = 7): readonly { fact: string; question: string }[] {
  const random = createRandom(seed)
  const pairs = new Map<string, string>()
  while (pairs.size < count) {
    const [template, question] = pick(ASKED, random)
    const values = new Map<string, string>()
    const fact = template.replaceAll(/\{\w+\}/g, (slot) => {
      const value = fill(slot, random)
      values.set(slot, value)
      return value
    })
    pairs.set(
      fact,
      question.replaceAll(/\{\w+\}/g, (slot) => values.get(slot) ?? slot),
    )
  }
  return [...pairs].map(([fact, question]) => ({ fact, question }))
}

const ASKED: readonly (readonly [string, string])[] = [
  ['The {part} {symptom} when {cause}.', 'What if {cause}? I think the {part} {symptom}.'],
  [
    'Never restart the {part} on {day} because {cause}.',
    'May I restart the {part} on a {day} though {cause}?',
  ],
  [
    'In {place} the {part} talks to {tool} through gate{number}.',
    'How does the {part} reach gate{number} in {place}?',
  ],
  ['The event "{event}" of the {part} goes to topic{number}.', 'Who sends "{event}" to topic{number}?'],
  [
    'We decided to replace {tool} in the {part} with release r{number}.',
    'Why was {tool} replaced in the {part} at r{number}?',
  ],
  [
    '{name} keeps the runbook of the {part} in {folder}/book{number}.',
    'Where is the runbook book{number} about the {part}?',
  ],
]

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!

function fill(template: string, random: () => number): string {
  return template.replaceAll(/\{(\w+)\}/g, (_, slot: string) =>
    slot === 'number' ? `${Math.floor(random() * 9_000) + 2}` : pick(SLOTS[slot]!, random),
  )
}

/** mulberry32 */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const words = (list: string): readonly string[] => list.split('|')

const SLOTS: Readonly<Record<string, readonly string[]>> = {
  part: words(
    'billing worker|search indexer|payment adapter|cart service|login form|admin report|export job|mail renderer|price importer|stock feed|image proxy|coupon engine|review widget|order archive|label printer|fraud scorer|shipping quote|customer portal|session store|audit trail|invoice mailer|product feed|tax helper|wishlist|returns counter|store locator|newsletter job|push sender|chat bridge|feed parser|menu builder|address form|refund queue|basket cleaner|catalogue sync|translation loader|theme builder|report scheduler|webhook relay|media library',
  ),
  thing: words(
    'retry limit|batch size|page size|timeout|cache lifetime|queue length|worker count|memory limit|upload limit|token lifetime|poll interval|request budget|log level|pool size|file limit',
  ),
  unit: words('seconds|minutes|rows|requests|megabytes|entries|workers|retries|days|kilobytes'),
  name: words(
    'Anna|Boris|Chiara|Deniz|Emil|Fatima|Georg|Hana|Igor|Judith|Kofi|Luca|Mina|Nils|Olga|Pavel|Quentin|Rosa|Sven|Thea|Umar|Vera|Wim|Xenia|Yusuf|Zoe',
  ),
  tool: words(
    'Postgres|Redis|Kafka|RabbitMQ|Nginx|Vault|Terraform|Docker|Helm|Grafana|Sentry|Playwright|Vitest|Vite|Zod|Prisma|Fastify|React|Svelte|Celery|Airflow|Elasticsearch|MinIO|Consul|Ansible',
  ),
  place: words(
    'staging|production|the test environment|local machines|the preview cluster|the backup region|CI',
  ),
  day: words('Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'),
  folder: words('apps|packages|services|tools|scripts|infra|libs|config|vendor|docs'),
  symptom: words(
    'times out|returns stale data|loses messages|shows an empty page|duplicates rows|crashes at start|ignores the locale|leaks connections|prints garbage|rounds wrongly|drops the last line|blocks the queue',
  ),
  cause: words(
    'the clock is behind|the cache is cold|a header is missing|the disk is full|two workers run at once|the schema is old|the file has no newline|the certificate expired|the index is rebuilt|the proxy buffers|the token is rotated|the column is nullable',
  ),
  rule: words(
    'camelCase names|early returns|pure functions|explicit types|small commits|short files|one test per behaviour|named exports|plain SQL|dependency injection|feature folders|immutable data',
  ),
  event: words(
    'order placed|cart emptied|user registered|refund issued|price changed|stock reserved|mail bounced|label printed',
  ),
}

const TEMPLATES: readonly string[] = [
  'The {part} listens on port {number} in {place}.',
  'The {thing} of the {part} is {number} {unit} in {place}.',
  '{name} maintains the {part} together with {name}.',
  'The {part} stores its data in {tool}, table t{number}.',
  'The {part} is deployed to {place} every {day} by {name}.',
  'The {part} {symptom} when {cause}.',
  'The code of the {part} is in {folder}/m{number} since {day}.',
  'In {place} the {part} uses {tool} instead of {tool}.',
  '{name} prefers {rule} in the {part}.',
  'We decided to replace {tool} with {tool} in the {part}.',
  'The tests of the {part} need {tool} and take {number} seconds.',
  'The event "{event}" is published by the {part} and read by the {part}.',
  'Never restart the {part} on {day} because {cause}.',
  'The {part} is reviewed by {name} before it goes to {place}.',
  'The log of the {part} is kept for {number} days in {tool}.',
  'If the {part} {symptom}, ask {name} or restart {tool}.',
  'The dashboard of the {part} has the number {number} in {tool}.',
  'The {part} sends "{event}" again after {number} {unit}.',
  'Pull requests for the {part} need an approval of {name}.',
  'The {part} must not import anything from {folder}/m{number}.',
]
