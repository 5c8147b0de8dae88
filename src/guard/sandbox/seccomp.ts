/**
 * The system calls no command has any business with, as a filter program for the kernel (classic BPF), handed to
 * bubblewrap by file descriptor. It stands behind the dropped capabilities: what it refuses is mostly refused anyway, but
 * a hole in one of the two is not yet a way out. `ptrace` stays: the process namespace bounds it.
 */
import { constants } from 'node:os'

/** The filter for this kind of processor; nothing where there is no table for it. */
export function seccompFilter({ architecture, unixSockets }: FilterOptions): Buffer | undefined {
  const table = TABLES[architecture]
  return table && assemble(program(table, unixSockets))
}

export type FilterOptions = {
  readonly architecture: string
  /** False: no socket to another program of the machine can be made; pairs still can. */
  readonly unixSockets: boolean
}

type Table = {
  readonly audit: number
  /** Calls by this number and above belong to another ABI. */
  readonly foreignFrom?: number
  readonly calls: Readonly<Record<Call, number>> & Readonly<Partial<Record<OldCall, number>>>
}

type Call = (typeof DENIED)[number] | 'clone' | 'clone3' | 'unshare' | 'socket' | 'ioctl'
type OldCall = (typeof DENIED_OLD)[number]

/** Keys, kernel programs, mounts, modules, clocks and everything else that changes the machine. */
const DENIED = [
  'add_key',
  'request_key',
  'keyctl',
  'bpf',
  'userfaultfd',
  'perf_event_open',
  'io_uring_setup',
  'io_uring_enter',
  'io_uring_register',
  'mount',
  'umount2',
  'pivot_root',
  'chroot',
  'move_mount',
  'fsopen',
  'fsconfig',
  'fsmount',
  'fspick',
  'open_tree',
  'mount_setattr',
  'setns',
  'open_by_handle_at',
  'fanotify_init',
  'kexec_load',
  'kexec_file_load',
  'init_module',
  'finit_module',
  'delete_module',
  'reboot',
  'swapon',
  'swapoff',
  'syslog',
  'acct',
  'quotactl',
  'quotactl_fd',
  'settimeofday',
  'clock_settime',
  'clock_adjtime',
  'sethostname',
  'setdomainname',
  'vhangup',
] as const
/** Only on older kinds of processor. */
const DENIED_OLD = ['iopl', 'ioperm', 'uselib', 'create_module', 'nfsservctl', 'modify_ldt'] as const

/** Numbers that all newer kernels share between processors. */
const SHARED = {
  io_uring_setup: 425,
  io_uring_enter: 426,
  io_uring_register: 427,
  open_tree: 428,
  move_mount: 429,
  fsopen: 430,
  fsconfig: 431,
  fsmount: 432,
  fspick: 433,
  clone3: 435,
  mount_setattr: 442,
  quotactl_fd: 443,
}

const TABLES: Readonly<Record<string, Table>> = {
  x64: {
    audit: 0xc000003e,
    foreignFrom: 0x40000000,
    calls: {
      ...SHARED,
      ioctl: 16,
      socket: 41,
      clone: 56,
      syslog: 103,
      uselib: 134,
      vhangup: 153,
      modify_ldt: 154,
      pivot_root: 155,
      chroot: 161,
      acct: 163,
      settimeofday: 164,
      mount: 165,
      umount2: 166,
      swapon: 167,
      swapoff: 168,
      reboot: 169,
      sethostname: 170,
      setdomainname: 171,
      iopl: 172,
      ioperm: 173,
      create_module: 174,
      init_module: 175,
      delete_module: 176,
      quotactl: 179,
      nfsservctl: 180,
      clock_settime: 227,
      kexec_load: 246,
      add_key: 248,
      request_key: 249,
      keyctl: 250,
      unshare: 272,
      perf_event_open: 298,
      fanotify_init: 300,
      open_by_handle_at: 304,
      clock_adjtime: 305,
      setns: 308,
      finit_module: 313,
      kexec_file_load: 320,
      bpf: 321,
      userfaultfd: 323,
    },
  },
  arm64: {
    audit: 0xc00000b7,
    calls: {
      ...SHARED,
      ioctl: 29,
      umount2: 39,
      mount: 40,
      pivot_root: 41,
      nfsservctl: 42,
      chroot: 51,
      vhangup: 58,
      quotactl: 60,
      acct: 89,
      unshare: 97,
      kexec_load: 104,
      init_module: 105,
      delete_module: 106,
      clock_settime: 112,
      syslog: 116,
      reboot: 142,
      sethostname: 161,
      setdomainname: 162,
      settimeofday: 170,
      socket: 198,
      add_key: 217,
      request_key: 218,
      keyctl: 219,
      clone: 220,
      swapon: 224,
      swapoff: 225,
      perf_event_open: 241,
      fanotify_init: 262,
      open_by_handle_at: 265,
      clock_adjtime: 266,
      setns: 268,
      finit_module: 273,
      bpf: 280,
      userfaultfd: 282,
      kexec_file_load: 294,
    },
  },
}

type Instruction = readonly [code: number, yes: number, no: number, value: number]

const LOAD = 0x20
const EQUAL = 0x15
const AT_LEAST = 0x35
const ANY_BIT = 0x45
const RETURN = 0x06

const NUMBER = 0
const ARCHITECTURE = 4
/** The low half of an argument: flags, families and requests are all 32 bits wide. */
const argument = (index: number): number => 16 + 8 * index

const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff0000]
const refuse = (errno: number): Instruction => [RETURN, 0, 0, 0x00050000 | errno]
const load = (offset: number): Instruction => [LOAD, 0, 0, offset]
/** Runs the next `length` instructions only if the value loaded is this one. */
const ifEqual = (value: number, length: number): Instruction => [EQUAL, 0, length, value]

const { EPERM, ENOSYS, EAFNOSUPPORT } = constants.errno

/** New namespaces of every kind. */
const CLONE_NEW = 0x7e020000
const CLONE_NEWTIME = 0x80
const TERMINAL_INPUT = [0x5412, 0x541c]

function program({ audit, foreignFrom, calls }: Table, unixSockets: boolean): readonly Instruction[] {
  const denied = [...DENIED, ...DENIED_OLD].flatMap((name) => calls[name] ?? [])
  return [
    load(ARCHITECTURE),
    [EQUAL, 1, 0, audit],
    refuse(EPERM),
    load(NUMBER),
    ...(foreignFrom === undefined ? [] : [[AT_LEAST, 0, 1, foreignFrom] as const, refuse(EPERM)]),
    ...denied.flatMap((number) => [ifEqual(number, 1), refuse(EPERM)]),
    ifEqual(calls.clone3, 1),
    refuse(ENOSYS),
    ...when(calls.clone, [load(argument(0)), [ANY_BIT, 0, 1, CLONE_NEW], refuse(EPERM), ALLOW]),
    ...when(calls.unshare, [
      load(argument(0)),
      [ANY_BIT, 0, 1, CLONE_NEW | CLONE_NEWTIME],
      refuse(EPERM),
      ALLOW,
    ]),
    ...when(calls.ioctl, [
      load(argument(1)),
      ...TERMINAL_INPUT.flatMap((request) => [ifEqual(request, 1), refuse(EPERM)]),
      ALLOW,
    ]),
    ...when(calls.socket, socketRules(unixSockets)),
    ALLOW,
  ]
}

const when = (number: number, rules: readonly Instruction[]): readonly Instruction[] => [
  ifEqual(number, rules.length),
  ...rules,
]

const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 }
const NETLINK_ROUTE = 0

/** An allow-list: families for virtual machines, raw packets, kernel ciphers and the like are not even known. */
const socketRules = (unixSockets: boolean): readonly Instruction[] => [
  load(argument(0)),
  ...[...(unixSockets ? [AF.unix] : []), AF.inet, AF.inet6].flatMap((family) => [ifEqual(family, 1), ALLOW]),
  ifEqual(AF.netlink, 3),
  load(argument(2)),
  ifEqual(NETLINK_ROUTE, 1),
  ALLOW,
  refuse(EAFNOSUPPORT),
]

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(instructions.length * 8)
  for (const [index, [code, yes, no, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(yes, index * 8 + 2)
    bytes.writeUInt8(no, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  }
  return bytes
}
