/**
 * The program of the process that tries a build, as text: it runs as it stands, from the sources and from the package, without
 * a loader. An addon that crashes, hangs or finds no driver does so there. It asks what node-llama-cpp's own test of a build
 * asks, and sends a `TrialReport`.
 */
export const trialProgram = `
import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const build = JSON.parse(process.argv[1])
const report = await look().catch((error) => ({ ok: false, why: reasonOf(error) }))
process.send(report, () => process.exit(0))

async function look() {
  const folder = dirname(build.addon)
  const addon = createRequire(build.addon)(build.addon)
  const isGpu = () => Boolean(addon.getGpuType())
  addon.loadBackends()
  if (!isGpu()) addon.loadBackends(folder)
  if (!isGpu()) addon.loadBackends(join(build.fallback ?? folder, 'fallback'))
  if (!isGpu()) return { ok: false, why: whyNone([folder, ...(build.fallback ? [join(build.fallback, 'fallback')] : [])]) }
  await addon.init()
  addon.ensureGpuDeviceIsSupported()
  const { total, used } = addon.getGpuVramInfo()
  const { deviceNames } = addon.getGpuDeviceInfo()
  if (deviceNames.length === 0) return { ok: false, why: 'its driver found no graphics card' }
  return { ok: true, devices: deviceNames, totalBytes: total, freeBytes: total - used }
}

// llama.cpp keeps to itself why a library could not be loaded; asked again, the system names what is missing.
function whyNone(folders) {
  return [...new Set(folders.map(whyNoBackend))].join('; ')
}

function whyNoBackend(folder) {
  const library = readdirSync(folder).find((name) => name.includes('ggml-' + build.name + '.'))
  if (library === undefined) return folder + ' holds no library for ' + build.name
  try {
    process.dlopen({ exports: {} }, join(folder, library))
  } catch (error) {
    if (!/self-register/.test(error.message)) return reasonOf(error)
  }
  return 'its driver found no graphics card'
}

function reasonOf(error) {
  const text = String(error?.message ?? error)
  const missing = /([^\\s:/]+\\.so[\\w.]*): cannot open shared object file/.exec(text)?.[1]
  if (missing === undefined) return text
  const toolkit = /^libcu(?:dart|blas).*?\\.so\\.(\\d+)/.exec(missing)?.[1]
  const source = toolkit === undefined ? 'the driver of the card' : 'the CUDA toolkit ' + toolkit
  return missing + ' is not installed; it comes with ' + source
}
`
