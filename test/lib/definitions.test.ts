import { expect, test } from 'vitest'
import { definedName } from '../../src/lib/definitions.ts'

test.each([
  ['export default async function load(a) {', 'load'],
  ['export const parse = (text) => text', 'parse'],
  ['const LIMIT: number = 3', 'LIMIT'],
  ['  async next(): Promise<void> {', 'next'],
  ['  #read(path) {', '#read'],
  ['export type Page<T> = { a: T }', 'Page'],
  ['def main(argv):', 'main'],
  ['    async def close(self):', 'close'],
  ['func (s *Server) Serve(l net.Listener) error {', 'Serve'],
  ['type Server struct {', 'Server'],
  ['pub(crate) fn open(path: &str) -> Self {', 'open'],
  ['public static class Builder {', 'Builder'],
])('%s defines %s', (line, name) => {
  expect(definedName(line)).toBe(name)
})

test.each([
  '  if (a) {',
  '  for (const x of y) {',
  '  return load(a)',
  'load(a)',
  '    const inner = 1',
  '// function a',
])('%s defines nothing', (line) => {
  expect(definedName(line)).toBeUndefined()
})
