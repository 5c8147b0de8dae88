/**
 * Colours of the sixteen every terminal has, so that a terminal's own choice of them is kept. Which of them are used is the
 * theme: some are hard to read on a white background, and some people want none.
 */
const style =
  (on: number, off: number) =>
  (text: string): string =>
    text === '' ? '' : `\u001B[${on}m${text}\u001B[${off}m`

type Colour = 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/** The code of each colour; no code = none. */
const THEMES: Readonly<Record<string, Partial<Record<Colour, number>>>> = {
  standard: { red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 },
  dark: { red: 91, green: 92, yellow: 93, blue: 94, magenta: 95, cyan: 96 },
  light: { red: 31, green: 32, yellow: 35, blue: 34, magenta: 35, cyan: 34 },
  mono: {},
}

export const themeNames: readonly string[] = Object.keys(THEMES)

let theme = 'standard'

export const currentTheme = (): string => theme

/** What is drawn from now on; an unknown name changes nothing. */
export function useTheme(name: string): void {
  if (Object.hasOwn(THEMES, name)) theme = name
}

const coloured =
  (name: Colour) =>
  (text: string): string => {
    const code = THEMES[theme]?.[name]
    return code === undefined ? text : style(code, 39)(text)
  }

export const bold = style(1, 22)
export const dim = style(2, 22)
export const italic = style(3, 23)
export const underline = style(4, 24)
export const strikethrough = style(9, 29)
export const red = coloured('red')
export const green = coloured('green')
export const yellow = coloured('yellow')
export const blue = coloured('blue')
export const magenta = coloured('magenta')
export const cyan = coloured('cyan')
