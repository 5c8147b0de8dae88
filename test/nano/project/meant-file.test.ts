import { expect, test } from 'vitest'
import { noSources } from '../../../src/nano/weights/format.ts'
import { meantLook } from '../../../src/nano/project/meant-file.ts'
import type { NanoCall } from '../../../src/nano/steps/run.ts'

const paths = [
  'logs/backup.log',
  'reports/q4_report.md',
  'archive/2023/final_report.txt',
  'reports/quarterly/',
]
const read = (path: string): NanoCall => ({ name: 'read_file', input: { path } })
const meant = (path: string, clause: string, recent: string[], files = recent): NanoCall | undefined =>
  meantLook(read(path), { clause, sources: { ...noSources, paths }, recent }, files)

test('the file that more of the words name', () => {
  expect(meant('reports/q4_report.md', 'then the final report in it', ['archive/2023/'])).toEqual(
    read('archive/2023/final_report.txt'),
  )
})

test('of files that are named alike the one of the steps before', () => {
  expect(meant('logs/backup.log', 'afterwards show me the log', ['trips/vehicle_log.csv'])).toEqual(
    read('trips/vehicle_log.csv'),
  )
})

test('the one of a list that a number tells from the others', () => {
  const found = ['plan/budget_2025.csv', 'old/budget_2023.csv']

  expect(meant('plan/budget_2025.csv', 'open the one of 2023', found)).toEqual(read('old/budget_2023.csv'))
})

test('the latest of files that are named by their dates', () => {
  const found = ['min/2025-04-03_staff.txt', 'min/2025-05-06_staff.txt', 'min/2025-04-17_staff.txt']

  expect(meant('min/2025-04-03_staff.txt', 'open the latest minutes', found)).toEqual(
    read('min/2025-05-06_staff.txt'),
  )
})

test('the newest of those that are called alike, wherever their names have the date', () => {
  const found = ['logs/build-2025-05-12.log', 'logs/build-2025-05-19.log', 'logs/run-2025-06-01.log']

  expect(meant('logs/build-2025-05-12.log', 'open the newest build log', found)).toEqual(
    read('logs/build-2025-05-19.log'),
  )
  expect(meant('logs/build-2025-05-19.log', 'open the oldest build log', found)).toEqual(
    read('logs/build-2025-05-12.log'),
  )
})

test('the newest of a folder that was listed, however its files are called', () => {
  const files = [
    'inc/2025-03-04-webhook.md',
    'inc/2025-03-18-refund.md',
    'inc/2025-03-11-pool.md',
    'README.md',
  ]

  expect(meant('inc/2025-03-11-pool.md', 'and open the newest one', ['inc/'], files)).toEqual(
    read('inc/2025-03-18-refund.md'),
  )
  expect(meant('README.md', 'then open the most recent', ['inc/'], files)).toEqual(
    read('inc/2025-03-18-refund.md'),
  )
})

test('a folder where nothing but its name is said', () => {
  expect(meant('archive/2023/final_report.txt', 'then quarterly', ['reports/'])).toEqual({
    name: 'list_files',
    input: { path: 'reports/quarterly/' },
  })
})

test('what is spelled, or named as well as any, stays', () => {
  expect(meant('logs/backup.log', 'show backup.log', ['trips/vehicle_log.csv'])).toBeUndefined()
  expect(meant('reports/q4_report.md', 'open the q4 report', ['a/report.md'])).toBeUndefined()
  expect(meant('logs/backup.log', 'show the log', [])).toBeUndefined()
})
