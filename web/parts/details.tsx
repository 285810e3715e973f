import { Table } from '@mantine/core'
import type { ReactNode } from 'react'

/** Names with their values, one under the other. */
export function Details({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Table variant="vertical" withRowBorders={false} verticalSpacing={6} layout="fixed">
      <Table.Tbody>
        {rows.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th fw={400} c="dimmed" bg="transparent" w="38%" pl={0} className="detail-name top-aligned">
              {name}
            </Table.Th>
            <Table.Td className="text-as-written">{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}
