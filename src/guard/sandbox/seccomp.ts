/**
 * The system calls no command has any business with, as a filter program for the kernel (classic BPF), handed to
 * bubblewrap by file descriptor. It stands behind the dropped capabilities: what it refuses is mostly refused anyway, but
 * a hole in one of the two is not yet a way out. `ptrace` stays: the process namespace bounds it.
 */
import { constants } from 'node:os'
import { type CallTable, DENIED, DENIED_OLD, TABLES } from './system-calls.ts'

/** The filter for this kind of processor; nothing where there is no table for it. */
export function seccompFilter(options: FilterOptions): Buffer | undefined {
  const table = TABLES[options.architecture]
  return table && assemble(program(table, options))
}

export type FilterOptions = {
  readonly architecture: string
  /** False: no socket to another program of the machine can be made; pairs still can. */
  readonly unixSockets: boolean
  /** Files that run as their group may be made: where people share a project, its folders hand on their group. */
  readonly setgid: boolean
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

function program({ audit, foreignFrom, calls }: CallTable, options: FilterOptions): readonly Instruction[] {
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
    ...when(calls.socket, socketRules(options.unixSockets)),
    ...modeRules(calls, options.setgid ? SETUID : SETUID | SETGID),
    ALLOW,
  ]
}

const when = (number: number, rules: readonly Instruction[]): readonly Instruction[] => [
  ifEqual(number, rules.length),
  ...rules,
]

const SETUID = 0o4000
const SETGID = 0o2000
/** `O_CREAT` and `O_TMPFILE`: without them the mode means nothing, and may be anything. */
const MAKES_FILE = 0x400040

/** A program that runs as its owner for everyone else would outlive the sandbox. Where the mode is not to be seen: ENOSYS. */
const modeRules = (calls: CallTable['calls'], bits: number): readonly Instruction[] => {
  const refuseBits = (index: number): readonly Instruction[] => [
    load(argument(index)),
    [ANY_BIT, 0, 1, bits],
    refuse(EPERM),
    ALLOW,
  ]
  const opening = (index: number): readonly Instruction[] => [
    load(argument(index)),
    [ANY_BIT, 1, 0, MAKES_FILE],
    ALLOW,
    ...refuseBits(index + 1),
  ]
  const { chmod, mknod, open, creat } = calls
  const byMode = [
    [chmod, 1],
    [mknod, 1],
    [creat, 1],
    [calls.fchmod, 1],
    [calls.fchmodat, 2],
    [calls.fchmodat2, 2],
    [calls.mknodat, 2],
  ] as const
  return [
    ...byMode.flatMap(([number, index]) => (number === undefined ? [] : when(number, refuseBits(index)))),
    ...(open === undefined ? [] : when(open, opening(1))),
    ...when(calls.openat, opening(2)),
    ifEqual(calls.openat2, 1),
    refuse(ENOSYS),
  ]
}

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
