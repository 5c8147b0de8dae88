/** What a command sees of this machine. */
import type { SandboxView } from '../../../src/protocol/guard.ts'
import { Section, Table } from '../ui/table.tsx'
import { oneLine, plural } from '../ui/text.ts'

export function Sandbox({ sandbox }: { sandbox: SandboxView }) {
  if ('missing' in sandbox)
    return (
      <Section title="Sandbox" aside={<span className="tag warning">none</span>}>
        <p className="warning">{oneLine(sandbox.missing)}</p>
      </Section>
    )
  const { name, network, warnings, mounts } = sandbox
  return (
    <Section title="Sandbox" aside={<span className="tag">{oneLine(name)}</span>}>
      <p>Commands run in it {network ? 'with' : 'without'} a network.</p>
      {warnings.map((text) => (
        <p key={text} className="warning">
          {oneLine(text)}
        </p>
      ))}
      <details>
        <summary>{plural(mounts.length, 'mount')}: what a command sees, and what is hidden from it</summary>
        <Table label="Mounts of the sandbox" head={['Path', 'How', 'Why']}>
          {mounts.map(({ target, how, why }, index) => (
            <tr key={index}>
              <td>
                <code>{oneLine(target)}</code>
              </td>
              <td>{how}</td>
              <td className="faint">{oneLine(why)}</td>
            </tr>
          ))}
        </Table>
      </details>
    </Section>
  )
}
