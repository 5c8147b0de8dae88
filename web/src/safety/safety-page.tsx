/** What was allowed for good, what is trusted, what confines commands, and what was refused or approved. */
import { useState } from 'react'
import type { StoredRule } from '../../../src/protocol/guard.ts'
import type { AuditLine, SafetyView } from '../../../src/protocol/page.ts'
import { call } from '../api/call.ts'
import { type Action, useAction, useRemote } from '../api/use-remote.ts'
import { Act } from '../ui/act.tsx'
import { Empty, ErrorNote } from '../ui/note.tsx'
import { Section, Table } from '../ui/table.tsx'
import { oneLine } from '../ui/text.ts'
import { Sandbox } from './sandbox.tsx'

export function SafetyPage() {
  const { value, error, reload } = useRemote<SafetyView>('/v1/page/safety', 10_000)
  const action = useAction()
  return (
    <>
      <h1>Safety</h1>
      <ErrorNote text={error ?? action.error} />
      {value && (
        <>
          <p className="faint">New sessions start in the mode “{value.mode}”.</p>
          <Rules rules={value.rules} action={action} reload={reload} />
          <Trusted trusted={value.trusted} action={action} reload={reload} />
          <Sandbox sandbox={value.sandbox} />
          <Audit lines={value.audit} />
        </>
      )}
    </>
  )
}

type Acting = { readonly action: Action; reload(): void }

function Rules({ rules, action, reload }: Acting & { rules: readonly StoredRule[] }) {
  const remove = async (index: number, { tool, pattern }: StoredRule) => {
    await call('/v1/page/rules/remove', { body: { index, tool, ...(pattern !== undefined && { pattern }) } })
    reload()
  }
  return (
    <Section title="Allowed for good">
      {rules.length === 0 ? (
        <Empty title="Nothing. “Always” in a question adds a line here, and here it is taken back." />
      ) : (
        <Table label="What was allowed for good" head={['Verdict', 'Tool', 'What', 'Folder', 'Since', '']}>
          {rules.map((rule, index) => (
            <tr key={`${rule.tool} ${rule.pattern} ${rule.folder}`}>
              <td>{rule.verdict}</td>
              <td>{oneLine(rule.tool)}</td>
              <td>
                <code>{rule.pattern === undefined ? 'everything' : oneLine(rule.pattern)}</code>{' '}
                {rule.exact && <span className="tag">exactly</span>}
              </td>
              <td className="faint">{oneLine(rule.folder)}</td>
              <td className="faint">{rule.addedAt.slice(0, 10)}</td>
              <td>
                <Act
                  action={action}
                  label={`Take back ${oneLine(rule.tool)} ${oneLine(rule.pattern ?? '')}`}
                  run={() => remove(index, rule)}
                >
                  Take back
                </Act>
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

function Trusted({ trusted, action, reload }: Acting & { trusted: SafetyView['trusted'] }) {
  const remove = async (name: string) => {
    await call('/v1/page/trust/remove', { body: { name } })
    reload()
  }
  return (
    <Section title="Trusted files">
      {trusted.length === 0 && (
        <Empty title="No file of any project is trusted. `covey trust add` agrees to one as it is." />
      )}
      <ul className="rows">
        {trusted.map(({ path, addedAt, isCurrent }) => (
          <li key={path}>
            <bdi className="path grow">{oneLine(path)}</bdi>
            <span className={isCurrent ? 'tag' : 'tag warning'}>
              {isCurrent ? 'as agreed' : 'changed since, not trusted'}
            </span>
            <span className="faint">{addedAt.slice(0, 10)}</span>
            <Act
              action={action}
              className="quiet"
              label={`No longer trust ${oneLine(path)}`}
              run={() => remove(path)}
            >
              Remove
            </Act>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const KINDS = ['all', 'refused', 'approved'] as const

function Audit({ lines }: { lines: readonly AuditLine[] }) {
  const [kind, setKind] = useState<(typeof KINDS)[number]>('all')
  const shown = lines.filter(({ what }) => kind === 'all' || what === kind)
  return (
    <Section
      title="Audit log"
      aside={
        <select
          aria-label="Which lines"
          value={kind}
          onChange={(event) => setKind(KINDS.find((one) => one === event.target.value) ?? 'all')}
        >
          {KINDS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      }
    >
      {shown.length === 0 ? (
        <Empty title="Nothing was refused or approved yet." />
      ) : (
        <Table label="Audit log" head={['When', 'What', 'Tool or route', 'About', 'Why', 'By']}>
          {shown.map((line, index) => (
            <tr key={index}>
              <td className="faint">{oneLine(line.at.slice(0, 19).replace('T', ' '))}</td>
              <td className={line.what === 'refused' ? 'warning' : ''}>{oneLine(line.what)}</td>
              <td>
                <code>{oneLine(line.tool)}</code>
              </td>
              <td>
                <code>{oneLine(line.targets.join(', '))}</code>
              </td>
              <td>{oneLine(line.why)}</td>
              <td>{oneLine(line.by)}</td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}
