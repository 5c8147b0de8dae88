/**
 * What a run showed about the model that did it, read from its events: tests and checks that ran after the last edit say
 * most, an edit that stayed says something. Words in a result decide nothing here, only exit codes do.
 */
import type { LoopEvent } from '../engine/parts.ts'
import { isObject, readJson } from '../lib/json.ts'
import type { RunEnd } from '../protocol/event.ts'
import type { Evidence } from '../protocol/routing.ts'

export type EvidenceWatch = {
  see(event: LoopEvent): void
  /** Nothing where the end alone has to speak. */
  at(end: RunEnd): Evidence | undefined
}

export function watchEvidence(): EvidenceWatch {
  const commands = new Map<string, string>()
  let hasEdit = false
  let verdict: Evidence | undefined
  return {
    see(event) {
      if (event.type === 'tool-start') {
        const command = commandOf(event.call.input)
        if (command !== undefined) commands.set(event.call.id, command)
      }
      if (event.type !== 'tool-end') return
      const command = commands.get(event.callId)
      if (command === undefined) {
        if (!event.ok || !EDITS.has(event.name)) return
        hasEdit = true
        verdict = checkIn(event.text)
      } else if (hasEdit && CHECKS.test(command)) {
        verdict = event.ok ? 'checks-green' : event.code === 'exit-code' ? 'checks-red' : verdict
      }
    },
    at: ({ reason, changed }) =>
      verdict ?? (reason === 'answered' && changed.length > 0 ? 'edit-kept' : undefined),
  }
}

const EDITS = new Set(['edit_file', 'write_file', 'apply_patch'])

/** Programs that say by their exit code whether code is good. */
const CHECKS =
  /(?:^|[;&|]\s*)(?:\w+=\S+\s+)*(?:(?:npx|pnpm|yarn|bun|npm|uv run|poetry run)\s+(?:run\s+|exec\s+)?)?(?:test|t\b|check|lint|typecheck|build|pytest|vitest|jest|mocha|ava|tsc|eslint|oxlint|ruff|mypy|pyright|cargo (?:test|check|build|clippy)|go (?:test|vet|build)|make\b|mvn|gradle|dotnet test|node --test|python3? -m (?:pytest|unittest|compileall)|phpunit|rspec|ctest)\b/

function commandOf(input: string): string | undefined {
  const reading = readJson(input)
  const command = reading.ok && isObject(reading.value) ? reading.value['command'] : undefined
  return typeof command === 'string' ? command : undefined
}

/** The project's own check, which `[checks]` runs after an edit, stands at the end of the result. */
function checkIn(text: string): Evidence | undefined {
  if (/^Check `.*` found problems:$/m.test(text)) return 'checks-red'
  return /^Check `.*` passed\.$/m.test(text) ? 'checks-green' : undefined
}
