/** What is known of a machine, and the questions that can be put to one. Types only. */

export type Gpu = {
  readonly vendor: 'nvidia' | 'amd' | 'apple' | 'intel'
  readonly name: string
  readonly totalBytes?: number
  readonly freeBytes?: number
  /** It has no memory of its own: what is free is part of the main memory. */
  readonly unified?: boolean
  /** Bytes per second, by the maker's data sheet. */
  readonly bandwidth?: number
}

export type Hardware = {
  /** Those this process may use. */
  readonly cores?: number
  readonly ramBytes?: number
  readonly ramFree?: number
  /** Bytes per second; hardly ever known. */
  readonly ramBandwidth?: number
  readonly gpus: readonly Gpu[]
  /** Where models are kept. */
  readonly diskFree?: number
}

export type Memory = { readonly ramBytes?: number; readonly ramFree?: number }

export type HardwareEffects = {
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** What node itself says; the last resort. */
  cores(): number
  memory(): Memory
  /** Nothing when there is no such file. */
  read(path: string): Promise<string | undefined>
  /** Names in a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly string[]>
  /** What a program prints; nothing when it is not there or fails. */
  run(program: string, ...args: readonly string[]): Promise<string | undefined>
  diskFree(): Promise<number | undefined>
}
