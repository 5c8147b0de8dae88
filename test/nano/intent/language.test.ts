import { expect, test } from 'vitest'
import { otherLanguage } from '../../../src/nano/intent/language.ts'

test.each([
  'Paki-run naman po ng mga test, salamat!',
  'Pokaż mi grafik na tydzień 24, proszę',
  'kan du slette den gamle filen, takk',
  'Lösch bitte tmp/hosts.bak',
  'zet node_count in staging op 5 alsjeblieft',
  'Tafadhali fungua orodha ya wote',
  'tolong tampilkan isi daftar bacaan saya',
])('is answered in place of a guess: %s', (request) => {
  expect(otherLanguage(request)).toBeDefined()
})

test.each([
  'pls fix the typo in README.md po',
  'keep lr at 5e-4, no 1e-4',
  'open the visa letter for Till and Tack',
  'on to the next: set ni to 12 and pa to 4 in config.ini',
  'rename "das ist nicht für dich" to "the end" in a.txt',
  'translate the runbook into Polish',
])('is English: %s', (request) => {
  expect(otherLanguage(request)).toBeUndefined()
})
