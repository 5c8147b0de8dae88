/** What kind of thing a short text is, by its letters alone: a number is replaced by a number, a date by a date. Pure. */

const SHAPES: readonly (readonly [string, RegExp])[] = [
  ['empty', /^$/],
  ['box', /^\[[ x]\]$/i],
  ['bool', /^(?:yes|no|true|false|on|off|open|closed|done|none|enabled|disabled|y|n)$/i],
  [
    'date',
    /^(?:\d{4}-\d{2}(?:-\d{2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}(?:st|nd|rd|th)? (?:of )?[A-Z][a-z]{2,8}(?: \d{4})?|[A-Z][a-z]{2,8} \d{1,2}(?:st|nd|rd|th)?(?:,? \d{4})?)$/,
  ],
  ['time', /^\d{1,2}[:.h]\d{2}(?:\s?[ap]m)?$|^\d{1,2}\s?[ap]m$/i],
  ['phone', /^\+?\d[\d ()-]{6,}\d$/],
  ['version', /^v?\d+\.\d+\.\d+[\w.-]*$/],
  ['money', /^(?:[£$€¥]\s?\d[\d.,]*|\d[\d.,]*\s?(?:€|kr|zł|euros?|pounds?|dollars?)|[A-Z]{3} \d[\d.,]*)$/],
  ['number', /^[-+~]?\d[\d.,]*$/],
  ['percent', /^\d[\d.,]*\s?%$/],
  ['unit', /^\d[\d.,]*\s?[A-Za-zµ°]{1,7}$/],
  ['code', /^[A-Z]+[-_]?\d[\w-]*$|^\w*\d\w*$/],
  ['address', /@|:\/\//],
  ['path', /^[\w.-]*(?:\/|\.\w{1,5}$)/],
  ['setting', /^[\w."'-]+\s*[=:]\s*\S/],
  ['capitals', /^[A-Z][A-Z_]+$/],
  ['name', /^[A-Z][\p{L}'’-]+(?: [A-Z][\p{L}'’-]+)*$/u],
  ['word', /^\S+$/],
]

export const shapeOf = (text: string): string =>
  SHAPES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'words'
