/**
 * Places in the output of tools. Those of tsc, vitest, node, unittest, go, cargo, gcc and oxlint are captured and shortened;
 * those of eslint, pytest, jest, go vet, MSVC, javac and the assertions of C follow the format and were not captured.
 */
import { expect, test } from 'vitest'
import { findLocations } from '../../../src/lib/output/locations.ts'

const ESC = '\u001B'

const outputs: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'tsc',
    "src/a.ts(12,14): error TS2322: Type 'number' is not assignable to type 'string'.",
    ['src/a.ts:12'],
  ],
  [
    'tsc --pretty',
    `${ESC}[96msrc/a.ts${ESC}[0m:${ESC}[93m1${ESC}[0m:${ESC}[93m14${ESC}[0m - ${ESC}[91merror${ESC}[0m TS2322: Type 'number' is not assignable.\n\n${ESC}[7m1${ESC}[0m export const n: string = 1\n\nFound 1 error in src/a.ts${ESC}[90m:1${ESC}[0m\n`,
    ['src/a.ts:1'],
  ],
  [
    'eslint: errors before warnings',
    '\n/home/me/app/src/a.js\n  3:7  warning  Missing JSDoc  jsdoc/require\n  9:1  error    Unexpected var  no-var\n\n/home/me/app/b.js\n  1:1  error  Parsing error: Unexpected token\n\n✖ 3 problems (2 errors, 1 warning)\n',
    ['/home/me/app/src/a.js:9', '/home/me/app/b.js:1', '/home/me/app/src/a.js:3'],
  ],
  ['eslint unix', 'src/a.js:9:1: Unexpected var [Error/no-var]', ['src/a.js:9']],
  [
    'oxlint',
    '  x eslint(no-debugger): `debugger` statement is not allowed\n   ,-[src/b.js:4:1]\n 4 | debugger\n   : ^^^^^^^^\n   `----\n',
    ['src/b.js:4'],
  ],
  [
    'pytest',
    '    def test_mean():\n>       assert mean([1, 2]) == 1.5\nE       assert 1 == 1.5\nE        +  where 1 = mean([1, 2])\n\ntests/test_calc.py:5: AssertionError\n=========================== short test summary info ============================\nFAILED tests/test_calc.py::test_mean - assert 1 == 1.5\n',
    ['tests/test_calc.py:5'],
  ],
  [
    'pytest, several frames',
    'tests/test_calc.py:8: \n_ _ _ _ _ _ _ _ _\npkg/calc.py:5: in mean\n    return div(sum(xs), len(xs))\npkg/calc.py:2: ZeroDivisionError\n',
    ['tests/test_calc.py:8', 'pkg/calc.py:5', 'pkg/calc.py:2'],
  ],
  [
    'unittest: the frame that failed first',
    'ERROR: test_empty (test_calc.T.test_empty)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "/app/test_calc.py", line 7, in test_empty\n    mean([])\n  File "/app/pkg/calc.py", line 5, in mean\n    return div(sum(xs), len(xs))\n           ^^^^^^^^^^^^^^^^^^^^^\n  File "/app/pkg/calc.py", line 2, in div\n    return a // b\n           ~~^^~~\nZeroDivisionError: integer division or modulo by zero\n\n======================================================================\nFAIL: test_mean (test_calc.T.test_mean)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "/app/test_calc.py", line 5, in test_mean\n    self.assertEqual(mean([1, 2]), 1.5)\n  File "/usr/lib/python3.11/unittest/case.py", line 873, in assertEqual\n    assertion_func(first, second, msg=msg)\nAssertionError: 1 != 1.5\n',
    ['/app/pkg/calc.py:2', '/app/pkg/calc.py:5', '/app/test_calc.py:7', '/app/test_calc.py:5'],
  ],
  [
    'python, a syntax error',
    '  File "/app/main.py", line 3\n    def f(:\n          ^\nSyntaxError: invalid syntax\n',
    ['/app/main.py:3'],
  ],
  [
    'jest',
    '  ● adds\n\n    expect(received).toBe(expected) // Object.is equality\n\n    > 4 |   expect(sum(1, 2)).toBe(3)\n\n      at Object.toBe (src/sum.test.js:4:21)\n      at Promise.then.completed (node_modules/jest-circus/build/utils.js:298:28)\n',
    ['src/sum.test.js:4'],
  ],
  [
    'vitest',
    `${ESC}[31m${ESC}[1mAssertionError${ESC}[22m: expected 2 to be 3 // Object.is equality${ESC}[39m\n\n${ESC}[36m ${ESC}[2m❯${ESC}[22m test/a.test.ts:${ESC}[2m3:17${ESC}[22m${ESC}[39m\n    ${ESC}[90m  3|${ESC}[39m   expect(1 + 1).toBe(3)\n`,
    ['test/a.test.ts:3'],
  ],
  [
    'node:test as TAP: what failed before where the test begins',
    "not ok 1 - empty\n  ---\n  duration_ms: 1.646475\n  location: '/app/sum.test.mjs:5:1'\n  failureType: 'testCodeFailure'\n  error: 'Reduce of empty array with no initial value'\n  stack: |-\n    Array.reduce (<anonymous>)\n    sum (file:///app/sum.mjs:1:63)\n    TestContext.<anonymous> (file:///app/sum.test.mjs:6:16)\n    Test.runInAsyncScope (node:async_hooks:206:9)\n    node:internal/test_runner/harness:255:12\n  ...\n",
    ['/app/sum.mjs:1', '/app/sum.test.mjs:6', '/app/sum.test.mjs:5'],
  ],
  [
    'node:test, spec reporter',
    'test at sum.test.mjs:8:1\n✖ two (9.451576ms)\n  AssertionError [ERR_ASSERTION]: 3 == 4\n      at TestContext.<anonymous> (file:///app/sum.test.mjs:9:10)\n      at async Test.processPendingSubtests (node:internal/test_runner/test:526:7) {\n',
    ['/app/sum.test.mjs:9', 'sum.test.mjs:8'],
  ],
  [
    'node, a syntax error',
    "/app/bad.cjs:1\nconst = 1\n      ^\n\nSyntaxError: Unexpected token '='\n    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n",
    ['/app/bad.cjs:1'],
  ],
  [
    'node, an exception',
    "/app/src/load.js:7\n  return rows.length\n              ^\n\nTypeError: Cannot read properties of undefined (reading 'length')\n    at load (/app/src/load.js:7:15)\n    at Object.<anonymous> (/app/main.js:3:1)\n",
    ['/app/src/load.js:7', '/app/main.js:3'],
  ],
  [
    'go test',
    '--- FAIL: TestAdd (0.00s)\n    add_test.go:7: Add(1, 2) = -1, want 3\nFAIL\nFAIL\texample.com/m/sub\t0.002s\nFAIL\n',
    ['add_test.go:7'],
  ],
  ['go build', '# example.com/m/sub\nsub/b.go:3:23: undefined: x\n', ['sub/b.go:3']],
  ['go vet', '# example.com/m/sub\nvet: ./b.go:3:23: undefined: x\n', ['b.go:3']],
  [
    'go, a panic',
    'panic: assignment to entry in nil map [recovered, repanicked]\n\ngoroutine 5 [running]:\ntesting.tRunner.func1.2({0x55a7a0, 0x6cae70})\n\t/usr/local/go/src/testing/testing.go:1974 +0x232\nexample.com/m/sub.TestP(0x2dd975e5c488?)\n\t/app/sub/p_test.go:3 +0x28\n',
    ['/app/sub/p_test.go:3'],
  ],
  [
    'cargo test',
    "thread 'tests::adds' (30994) panicked at src/lib.rs:6:9:\nassertion `left == right` failed\n  left: -1\n right: 3\nstack backtrace:\n   0: __rustc::rust_begin_unwind\n             at /rustc/59807616e1fa2540724bfbac14d7976d7e4a3860/library/std/src/panicking.rs:689:5\n   4: m::tests::adds\n             at ./src/lib.rs:6:9\n",
    ['src/lib.rs:6'],
  ],
  [
    'cargo check',
    'error[E0308]: mismatched types\n --> src/lib.rs:1:45\n  |\n1 | pub fn add(a: i32) -> i32 { "x" }\n',
    ['src/lib.rs:1'],
  ],
  [
    'gcc: errors before warnings',
    'a.c: In function ‘main’:\na.c:2:7: warning: unused variable ‘unused’ [-Wunused-variable]\na.c:3:10: error: ‘x’ undeclared (first use in this function)\n    3 |   return x;\n      |          ^\n',
    ['a.c:3', 'a.c:2'],
  ],
  ['an assertion of C', 'a: src/a.c:12: main: Assertion `n > 0` failed.', ['src/a.c:12']],
  ['MSVC', 'src\\a.cpp(12): error C2065: x: undeclared identifier', ['src/a.cpp:12']],
  ['javac', 'src/Main.java:7: error: cannot find symbol', ['src/Main.java:7']],
]

test.each(outputs)('%s', (_tool, output, places) => {
  expect(findLocations(output).map(({ path, line }) => `${path}:${line}`)).toEqual(places)
})

test.each([
  ['an address', 'listening on http://localhost.dev:3000 and https://example.com:8080/x'],
  ['a time', 'Start at 22:31:26, took 1.5:20'],
  ['a version', 'Node.js v20.20.2'],
  [
    'a library',
    'at run (/app/node_modules/x/index.js:3:1)\n  File "/app/.venv/lib/python3.11/x.py", line 3, in f',
  ],
  ['nothing', ''],
])('%s is no place', (_what, output) => {
  expect(findLocations(output)).toEqual([])
})

test('a log of many megabytes is read in linear time', () => {
  const output = `${'x'.repeat(1_000_000)}\n${'a.b.'.repeat(400)}\n`.repeat(3) + 'src/a.ts(1,2): error TS1: x'

  expect(findLocations(output)).toEqual([{ path: 'src/a.ts', line: 1 }])
})
