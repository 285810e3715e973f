import { Text } from '@mantine/core'
import { Empty, type EmptyProps } from '../empty.tsx'
import { Loading } from '../page.tsx'
import { ProblemNotice } from '../problem-notice.tsx'
import { isPastEnd, Pager, type OnOffset } from './pager.tsx'
import { DataTable, type Column } from './table.tsx'

interface ListViewProps<Row> {
  read: {
    data?: { items: Row[]; total: number; totalIsCapped?: boolean } | null | undefined
    error: unknown
    isPending: boolean
    refetch(): unknown
  }
  caption: string
  columns: readonly Column<Row>[]
  idOf(row: Row): string
  /** What to do while there is nothing; text alone in a part of a page. */
  empty: EmptyProps | string
  /** Without it the list has one page. */
  paging?: { offset: number; onOffset: OnOffset }
}

/** A list of the API: skeleton, refusal, what to do if there is nothing, rows, pages. */
export function ListView<Row>({ read, caption, columns, idOf, empty, paging }: ListViewProps<Row>) {
  const { data, error, isPending, refetch } = read
  return (
    <>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data?.items.length === 0 && !isPastEnd(data, paging?.offset ?? 0) && <Nothing empty={empty} />}
      {data && data.items.length > 0 && (
        <DataTable caption={caption} columns={columns} rows={data.items} idOf={idOf} />
      )}
      {data && paging && <Pager total={data.total} isCapped={data.totalIsCapped ?? false} {...paging} />}
    </>
  )
}

const Nothing = ({ empty }: { empty: EmptyProps | string }) =>
  typeof empty === 'string' ? (
    <Text size="sm" c="dimmed">
      {empty}
    </Text>
  ) : (
    <Empty {...empty} />
  )
