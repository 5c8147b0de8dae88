/** Strings that steer a terminal that obeys them. */
export const scenes: readonly (readonly [name: string, text: string])[] = [
  ['a clear of the screen', '\u001B[2J\u001B[3J\u001B[H'],
  ['a title and a clipboard write', '\u001B]0;owned\u0007\u001B]52;c;aGk=\u0007'],
  ['C1 controls', '\u009B2J\u009D0;x\u009C\u0090q\u009C'],
  ['backspaces and carriage returns', 'safe\b\b\b\brm -rf\rgone'],
  ['bidirectional overrides', '\u202Ereversed\u202C \u2066isolated\u2069'],
  ['wide, combining and joined characters', '漢字テスト👩‍👩‍👧‍👦🏳️‍🌈 é\u0301\u0301\u0301 ｗｉｄｅ'],
  ['a bell and a form feed', '\u0007\f\u000B\u0000'],
]
