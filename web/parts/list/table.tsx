import { Card, Group, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { ReactNode } from 'react'

export interface Column<Row> {
  title: string
  render(row: Row): ReactNode
  /** Amounts and counts are aligned to the right. */
  align?: 'right'
  /** Buttons of the row: the title is read out and not shown. */
  isActions?: boolean
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  idOf(row: Row): string
}

/** Rows as a table, and below 640 px as one card each, so that nothing scrolls sideways. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const isNarrow = useMediaQuery('(max-width: 640px)', window.innerWidth <= 640)
  return isNarrow ? <Cards {...props} /> : <Wide {...props} />
}

function Wide<Row>({ caption, columns, rows, idOf }: DataTableProps<Row>) {
  return (
    <Table.ScrollContainer
      minWidth={480}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, 'aria-label': caption } }}
    >
      <Table verticalSpacing="sm" highlightOnHover>
        <VisuallyHidden component="caption">{caption}</VisuallyHidden>
        <Table.Thead>
          <Table.Tr>
            {columns.map(({ title, align, isActions }) => (
              <Table.Th key={title} ta={align} className={align && 'number-cell'}>
                {isActions ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(row => (
            <Table.Tr key={idOf(row)}>
              {columns.map(({ title, align, render }) => (
                <Table.Td key={title} ta={align} className={align && 'number-cell'}>
                  {render(row)}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Cards<Row>({ caption, columns, rows, idOf }: DataTableProps<Row>) {
  return (
    <Stack gap="xs" role="list" aria-label={caption}>
      {rows.map(row => (
        <Card key={idOf(row)} withBorder padding="sm" role="listitem">
          <Stack gap={6}>
            {columns.map(({ title, render, isActions }) => (
              <Group key={title} justify="space-between" gap="xs" align="flex-start">
                {!isActions && (
                  <Text size="sm" c="dimmed">
                    {title}
                  </Text>
                )}
                <Text component="div" size="sm" className={isActions ? undefined : 'card-value'}>
                  {render(row)}
                </Text>
              </Group>
            ))}
          </Stack>
        </Card>
      ))}
    </Stack>
  )
}
