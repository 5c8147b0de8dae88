import { describe, expect, test } from 'vitest'
import { bandwidthOf } from '../../../src/models/bandwidth.ts'
import { detectHardware } from '../../../src/models/hardware/detect.ts'
import type { HardwareEffects } from '../../../src/models/machine.ts'
import { systemEffects } from '../../../src/models/system.ts'

const GIB = 2 ** 30
const MIB = 2 ** 20

type Recording = Partial<Omit<HardwareEffects, 'read' | 'list' | 'run'>> & {
  readonly files?: Readonly<Record<string, string>>
  /** By program and its first argument. */
  readonly programs?: Readonly<Record<string, string>>
}

const NVIDIA = 'nvidia-smi --query-gpu=name,memory.total,memory.free'

/** A machine as it answered once. */
function machine({ files = {}, programs = {}, ...rest }: Recording): HardwareEffects {
  return {
    platform: 'linux',
    arch: 'x64',
    cores: () => 8,
    memory: () => ({}),
    diskFree: async () => undefined,
    ...rest,
    read: async (path) => files[path],
    list: async (folder) => [
      ...new Set(
        Object.keys(files).flatMap((path) =>
          path.startsWith(`${folder}/`) ? (path.slice(folder.length + 1).split('/')[0] ?? []) : [],
        ),
      ),
    ],
    run: async (program, first = '') => programs[`${program} ${first}`.trim()],
  }
}

const MEMINFO = 'MemTotal:       32768000 kB\nMemFree:         1000000 kB\nMemAvailable:   16384000 kB\n'

describe('memory and cores on Linux', () => {
  test('are what the kernel says is available', async () => {
    const effects = machine({ files: { '/proc/meminfo': MEMINFO }, diskFree: async () => 5 })

    expect(await detectHardware(effects)).toEqual({
      cores: 8,
      ramBytes: 32_768_000 * 1024,
      ramFree: 16_384_000 * 1024,
      gpus: [],
      diskFree: 5,
    })
  })

  test('are limited by a control group of version 2 and by those it is in', async () => {
    const effects = machine({
      files: {
        '/proc/meminfo': MEMINFO,
        '/proc/self/cgroup': '0::/user.slice/app.scope\n',
        '/sys/fs/cgroup/user.slice/app.scope/memory.max': 'max\n',
        '/sys/fs/cgroup/user.slice/app.scope/memory.current': '1\n',
        '/sys/fs/cgroup/user.slice/app.scope/cpu.max': 'max 100000\n',
        '/sys/fs/cgroup/user.slice/memory.max': String(4 * GIB),
        '/sys/fs/cgroup/user.slice/memory.current': String(3 * GIB),
        '/sys/fs/cgroup/user.slice/memory.stat': `anon 5\ninactive_file ${2 * GIB}\nactive_file 7\n`,
        '/sys/fs/cgroup/user.slice/cpu.max': '250000 100000\n',
      },
    })

    expect(await detectHardware(effects)).toMatchObject({ cores: 2, ramBytes: 4 * GIB, ramFree: 3 * GIB })
  })

  test('are limited in a container that sees only its own root', async () => {
    const effects = machine({
      files: {
        '/proc/meminfo': MEMINFO,
        '/proc/self/cgroup': '0::/\n',
        '/sys/fs/cgroup/memory.max': String(2 * GIB),
        '/sys/fs/cgroup/memory.current': String(GIB),
        '/sys/fs/cgroup/cpu.max': '50000 100000\n',
      },
    })

    expect(await detectHardware(effects)).toMatchObject({ cores: 1, ramBytes: 2 * GIB, ramFree: GIB })
  })

  test('are limited by control groups of version 1', async () => {
    const effects = machine({
      files: {
        '/proc/meminfo': MEMINFO,
        '/proc/self/cgroup': '4:memory:/docker/abc\n3:cpu,cpuacct:/docker/abc\n0::/\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': String(8 * GIB),
        '/sys/fs/cgroup/memory/memory.usage_in_bytes': String(2 * GIB),
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '400000\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
    })

    expect(await detectHardware(effects)).toMatchObject({ cores: 4, ramBytes: 8 * GIB, ramFree: 6 * GIB })
  })

  test('are not limited by a version 1 that says no limit', async () => {
    const effects = machine({
      files: {
        '/proc/meminfo': MEMINFO,
        '/proc/self/cgroup': '4:memory:/\n3:cpu:/\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
        '/sys/fs/cgroup/memory/memory.usage_in_bytes': '1\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
        '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
      },
    })

    expect(await detectHardware(effects)).toMatchObject({ cores: 8, ramFree: 16_384_000 * 1024 })
  })

  test('stay unknown where nothing says them', async () => {
    expect(await detectHardware(machine({}))).toEqual({ cores: 8, gpus: [] })
  })
})

describe('graphics cards', () => {
  test('of NVIDIA are listed with what is free on each', async () => {
    const text = 'NVIDIA GeForce RTX 4090, 24564, 23028\nNVIDIA GeForce RTX 3060, 12288, 11900\n'

    const { gpus } = await detectHardware(machine({ programs: { [NVIDIA]: text } }))

    expect(gpus).toEqual([
      {
        vendor: 'nvidia',
        name: 'NVIDIA GeForce RTX 4090',
        totalBytes: 24_564 * MIB,
        freeBytes: 23_028 * MIB,
        bandwidth: 1008e9,
      },
      {
        vendor: 'nvidia',
        name: 'NVIDIA GeForce RTX 3060',
        totalBytes: 12_288 * MIB,
        freeBytes: 11_900 * MIB,
        bandwidth: 360e9,
      },
    ])
  })

  test('of NVIDIA without memory of their own share the main memory', async () => {
    const effects = machine({
      files: { '/proc/meminfo': MEMINFO },
      programs: { [NVIDIA]: 'NVIDIA GB10, [N/A], [N/A]\n' },
    })

    const { gpus } = await detectHardware(effects)

    expect(gpus).toEqual([
      { vendor: 'nvidia', name: 'NVIDIA GB10', unified: true, freeBytes: 16_384_000 * 1024 },
    ])
  })

  test('are none where the driver answers with an error', async () => {
    const text = "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n"

    const { gpus } = await detectHardware(machine({ programs: { [NVIDIA]: text } }))

    expect(gpus).toEqual([])
  })

  const rocm = (total: number, used: number): string =>
    JSON.stringify({
      card0: {
        'VRAM Total Memory (B)': String(total),
        'VRAM Total Used Memory (B)': String(used),
        'Card Series': 'Radeon RX 7900 XTX',
      },
      system: {},
    })

  const drm = (total: number, used: number): Record<string, string> => ({
    '/sys/class/drm/card0-HDMI-A-1/status': 'connected\n',
    '/sys/class/drm/card1/device/vendor': '0x1002\n',
    '/sys/class/drm/card1/device/mem_info_vram_total': `${total}\n`,
    '/sys/class/drm/card1/device/mem_info_vram_used': `${used}\n`,
  })

  test('of AMD come from the tool or the kernel, the larger reading where both answer', async () => {
    const programs = (text: string) => ({ 'rocm-smi --showproductname': text })

    const tool = await detectHardware(machine({ programs: programs(rocm(24 * GIB, GIB)) }))
    const kernel = await detectHardware(machine({ files: drm(16 * GIB, GIB) }))
    const both = await detectHardware(
      machine({ files: drm(24 * GIB, 2 * GIB), programs: programs(rocm(256 * MIB, 0)) }),
    )

    const named = { vendor: 'amd', name: 'Radeon RX 7900 XTX', bandwidth: 960e9 }
    expect(tool.gpus).toEqual([{ ...named, totalBytes: 24 * GIB, freeBytes: 23 * GIB }])
    expect(kernel.gpus).toEqual([
      { vendor: 'amd', name: 'AMD GPU', totalBytes: 16 * GIB, freeBytes: 15 * GIB },
    ])
    expect(both.gpus).toEqual([{ ...named, totalBytes: 24 * GIB, freeBytes: 22 * GIB }])
  })

  test('of Intel count only with memory of their own, and how much of it is free is not known', async () => {
    const files = {
      '/sys/class/drm/card0/device/vendor': '0x8086\n',
      '/sys/class/drm/card1/device/vendor': '0x8086\n',
      '/sys/class/drm/card1/device/tile0/physical_vram_size_bytes': String(16 * GIB),
    }

    const { gpus } = await detectHardware(machine({ files }))

    expect(gpus).toEqual([{ vendor: 'intel', name: 'Intel GPU', totalBytes: 16 * GIB }])
  })
})

describe('a Mac', () => {
  const VM_STAT = `Mach Virtual Memory Statistics: (page size of 16384 bytes)
Pages free:                              100000.
Pages active:                            300000.
Pages inactive:                          200000.
Pages speculative:                        50000.
Pages throttled:                              0.
Pages wired down:                        120000.
Pages purgeable:                          10000.
`
  const DISPLAYS = JSON.stringify({
    SPDisplaysDataType: [{ _name: 'kHW_AppleM2ProItem', sppci_model: 'Apple M2 Pro', sppci_cores: '19' }],
  })

  const mac: Recording = {
    platform: 'darwin',
    arch: 'arm64',
    programs: {
      'sysctl -n': String(16 * GIB),
      vm_stat: VM_STAT,
      'system_profiler SPDisplaysDataType': DISPLAYS,
    },
  }

  test('has one memory, of which graphics may use two thirds', async () => {
    const effects = machine(mac)
    const run: HardwareEffects['run'] = async (program, ...args) =>
      args.includes('iogpu.wired_limit_mb') ? '0\n' : effects.run(program, ...args)

    const hardware = await detectHardware({ ...effects, run })

    expect(hardware).toEqual({
      cores: 8,
      ramBytes: 16 * GIB,
      ramFree: 360_000 * 16_384,
      gpus: [
        {
          vendor: 'apple',
          name: 'Apple M2 Pro',
          unified: true,
          totalBytes: (16 * GIB * 2) / 3,
          freeBytes: 360_000 * 16_384,
          bandwidth: 200e9,
        },
      ],
    })
  })

  test('follows a configured limit', async () => {
    const effects = machine(mac)
    const run: HardwareEffects['run'] = async (program, ...args) =>
      args.includes('iogpu.wired_limit_mb') ? '4096\n' : effects.run(program, ...args)

    const { gpus } = await detectHardware({ ...effects, run })

    expect(gpus).toMatchObject([{ totalBytes: 4 * GIB, freeBytes: 4 * GIB }])
  })

  test('with an Intel processor has no graphics that help', async () => {
    const { gpus } = await detectHardware(machine({ ...mac, arch: 'x64' }))

    expect(gpus).toEqual([])
  })
})

test('bandwidth is known by the exact card, and not for a laptop version', () => {
  expect(bandwidthOf('NVIDIA GeForce RTX 4070 Ti SUPER')).toBe(672e9)
  expect(bandwidthOf('NVIDIA GeForce RTX 4070')).toBe(504e9)
  expect(bandwidthOf('NVIDIA GeForce RTX 4070 Laptop GPU')).toBe(undefined)
  expect(bandwidthOf('Matrox G200')).toBe(undefined)
})

test('this very machine has cores, memory and a disk', async () => {
  const hardware = await detectHardware(systemEffects('/nowhere/yet'))

  expect(hardware.cores).toBeGreaterThan(0)
  expect(hardware.ramFree).toBeGreaterThan(0)
  expect(hardware.ramFree).toBeLessThanOrEqual(hardware.ramBytes ?? 0)
  expect(hardware.diskFree).toBeGreaterThan(0)
})

test('a card that does not tell its memory is no board that shares the main memory', async () => {
  const programs = { [NVIDIA]: 'NVIDIA A100, [Insufficient Permissions], [Insufficient Permissions]\n' }

  const { gpus } = await detectHardware(machine({ files: { '/proc/meminfo': MEMINFO }, programs }))

  expect(gpus).toEqual([{ vendor: 'nvidia', name: 'NVIDIA A100', bandwidth: expect.any(Number) }])
})

test.skipIf(process.platform === 'win32')(
  'a program that cannot be ended, or leaves its output to a child, is not waited for',
  async () => {
    const { run } = systemEffects('/', 200)

    expect(await run('sh', '-c', 'trap "" TERM; sleep 5 & sleep 5')).toBeUndefined()
    expect(await run('sh', '-c', 'echo said')).toBe('said\n')
    expect(await run('no-such-program')).toBeUndefined()
  },
)
