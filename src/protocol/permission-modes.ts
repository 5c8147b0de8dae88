/**
 * The permission modes, from the one that allows least to the one that allows everything. `guard/permission/modes.ts`
 * says what each allows; the schema, the flags, their help and the advice after a refusal are derived from this list.
 */
export const permissionModes = ['deny', 'read-only', 'ask', 'accept-edits', 'auto', 'bypass'] as const
export type PermissionMode = (typeof permissionModes)[number]

/** For help texts. */
export const permissionModeNames = `${permissionModes.slice(0, -1).join(', ')} or ${permissionModes.at(-1)}`
