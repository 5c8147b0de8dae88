/**
 * The programs that run JavaScript, for `node -e`. Node cannot put its own stdout aside, so there are two: one speaks the
 * messages and hears everything the other one, which runs the code, and its children print. A mark at the end of each
 * call says that all of it has been heard.
 */

/** Gets the text of the second program as its argument. */
export const javascriptDriver = String.raw`
const { spawn } = require('node:child_process')
const { randomUUID } = require('node:crypto')
const { constants } = require('node:os')
const { StringDecoder } = require('node:string_decoder')
const worker = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', process.argv[1]], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
let call
let closed = 0

function send(message) {
  const body = Buffer.from(JSON.stringify(message))
  const header = Buffer.alloc(4)
  header.writeUInt32BE(body.length)
  return process.stdout.write(Buffer.concat([header, body]))
}

function listen(stream) {
  const decoder = new StringDecoder('utf8')
  let held = ''
  stream.on('data', (bytes) => {
    let text = held + decoder.write(bytes)
    held = ''
    const at = call ? text.indexOf(call.mark) : -1
    if (at >= 0) text = text.slice(0, at) + text.slice(at + call.mark.length)
    // The beginning of a mark waits for its end.
    const start = text.lastIndexOf('\0')
    if (start >= 0 && call && call.mark.startsWith(text.slice(start))) {
      held = text.slice(start)
      text = text.slice(0, start)
    }
    if (text !== '' && !send({ output: text })) {
      stream.pause()
      process.stdout.once('drain', () => stream.resume())
    }
    if (at >= 0) answer({ marks: call.marks + 1 })
  })
  // Code may close what it prints to; no mark comes from there any more.
  stream.on('end', () => {
    closed++
    if (call) answer({ marks: call.marks + 1 })
  })
}

function answer(news) {
  Object.assign(call, news)
  if (call.marks < 2 || call.ok === undefined) return
  const { ok } = call
  call = undefined
  send({ end: ok })
}

listen(worker.stdout)
listen(worker.stderr)
worker.on('message', ({ ready, ok }) => (ready ? send({ ready }) : answer({ ok })))
const leave = (code, signal) => process.exit(code ?? 128 + constants.signals[signal])
worker.on('close', leave)
// A child it left behind may hold the pipes open for ever.
worker.on('exit', (code, signal) => setTimeout(leave, 500, code, signal))

let bytes = Buffer.alloc(0)
process.stdin.on('data', (piece) => {
  bytes = Buffer.concat([bytes, piece])
  while (bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt32BE(0)) {
    const end = 4 + bytes.readUInt32BE(0)
    call = { mark: '\0' + randomUUID() + '\0', marks: closed }
    if (worker.exitCode === null && worker.signalCode === null) send({ begin: true })
    worker.send({ ...JSON.parse(bytes.subarray(4, end)), mark: call.mark })
    bytes = bytes.subarray(end)
  }
})
process.stdin.on('end', () => process.exit(0))
`

/** Expects code that is a function body, as `interpreter-javascript-code.ts` makes it. */
export const javascriptWorker = String.raw`
const { createRequire } = require('node:module')
const { join } = require('node:path')
const { inspect } = require('node:util')
const vm = require('node:vm')
const write = [process.stdout, process.stderr].map((stream) => stream.write.bind(stream))
const tell = process.send.bind(process)
// Code that asks for a parent to speak to would speak in our place.
delete process.send
globalThis.require = createRequire(join(process.cwd(), 'code.js'))
const options = { importModuleDynamically: vm.constants.USE_MAIN_CONTEXT_DEFAULT_LOADER }
const START = '(async () => {'
let count = 0

function say(error) {
  const lines = inspect(error).split('\n').filter((line) => !/^\s+at .*(?:node:|\[eval\])/.test(line))
  write[1]((error instanceof Error ? '' : 'Uncaught ') + lines.join('\n') + '\n')
}

async function attempt(code) {
  try {
    const filename = 'call-' + ++count + '.js'
    const run = vm.runInThisContext(START + code + '\n})', { ...options, filename, columnOffset: -START.length })
    const value = await run()
    if (value === undefined) return true
    globalThis._ = value
    write[0](inspect(value, { depth: 4, maxArrayLength: 100 }) + '\n')
    return true
  } catch (error) {
    say(error)
    return false
  }
}

process.on('uncaughtException', say)
process.on('unhandledRejection', say)
process.on('disconnect', () => process.exit(0))
process.on('message', async ({ code, mark }) => {
  const ok = await attempt(code)
  for (const out of write) out(mark)
  tell({ ok })
})
tell({ ready: true })
`
