/**
 * The program of the process that renders templates, as text: it runs as it stands, from the sources and from the
 * package, without a loader. Each message is one rendering. It stops a rendering by itself, so that one cannot go on
 * after the program that asked for it has ended.
 */
export const childProgram = `
import vm from 'node:vm'
const { Template } = await import(process.argv[1])
const templates = new Map()
const MOST_TEMPLATES = 50
let job
globalThis.renderJob = () => templateOf(job.text).render(JSON.parse(job.json))
const script = new vm.Script('renderJob()')

function templateOf(text) {
  const known = templates.get(text)
  if (known) return known
  if (templates.size >= MOST_TEMPLATES) templates.clear()
  const template = new Template(text)
  templates.set(text, template)
  return template
}

function render({ renderMs, characters }) {
  try {
    const text = script.runInThisContext({ timeout: renderMs })
    return text.length > characters ? { limit: 'characters' } : { text }
  } catch (error) {
    if (error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return { limit: 'time' }
    return { error: String(error?.message ?? error).slice(0, 1000) }
  }
}

// Ctrl+C is meant for the program that asked; this one ends with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit(0))
process.on('message', (message) => {
  job = message
  process.send(render(message))
})
process.send({ isReady: true })
`
