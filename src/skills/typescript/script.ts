/** What runs in Node's sandbox: the example of a function, or a call of it. The code is compiled in memory by jiti. */
export const TYPESCRIPT_SCRIPT = String.raw`
const [, jitiPath, mode, mark, encoded, name, given] = process.argv
const { isDeepStrictEqual, inspect } = require('node:util')
const decode = (text) => Buffer.from(text, 'base64').toString('utf8')
const ascii = (text) => text.replace(/[\u007f-\uffff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'))
const say = (value) =>
  new Promise((resolve) => process.stdout.write('\n' + mark + ascii(JSON.stringify(value)) + '\n', resolve))

const expectEqual = (got, wanted, line) => {
  if (isDeepStrictEqual(got, wanted)) return
  throw new Error(line + ' gave ' + inspect(got) + ', its documentation says ' + inspect(wanted))
}

const shown = (value) => {
  let text
  try {
    text = typeof value === 'string' ? value : value === undefined ? 'undefined' : JSON.stringify(value)
  } catch {}
  text ??= inspect(value)
  return text.length <= 40000 ? text : text.slice(0, 40000) + '\n[... ' + (text.length - 40000) + ' more characters]'
}

const told = (error) => {
  if (!(error instanceof Error)) return inspect(error)
  const [, ...frames] = String(error.stack).slice(String(error.stack).indexOf(error.message) + error.message.length).split('\n')
  const own = frames.filter((line) => line.includes(name + '.ts')).map((line) => line.replace(/\(?\/\S*\//, '('))
  return [error.name + ': ' + error.message, ...own.slice(0, 8)].join('\n')
}

const main = async () => {
  const { createJiti } = require(jitiPath)
  const jiti = createJiti('/', { fsCache: false, moduleCache: false, interopDefault: false, sourceMaps: false })
  const code = await jiti.evalModule(decode(encoded), { filename: '/promoted/' + name + '.ts', ext: '.ts', async: true })
  if (mode === 'rehearse') return code.coveyExample(expectEqual)
  return code[name](...JSON.parse(decode(given)).map((value) => (value === null ? undefined : value.given)))
}

main().then(
  (value) => say({ ok: true, text: shown(value) }).then(() => 0),
  (error) => say({ ok: false, text: told(error) }).then(() => 1),
).then((code) => process.exit(code))
`
