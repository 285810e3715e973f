import type { Icon } from '@tabler/icons-react'
import { Empty } from '../../../parts/empty.tsx'
import { Loading } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Pager } from '../../../parts/pager.tsx'
import { DataTable, type Column } from '../../../parts/table.tsx'

interface ListViewProps<Row> {
  read: {
    data?: { items: Row[]; total: number; totalIsCapped?: boolean } | undefined
    error: unknown
    isPending: boolean
    refetch(): unknown
  }
  caption: string
  columns: readonly Column<Row>[]
  idOf(row: Row): string
  empty: { icon: Icon; title: string; text: string }
  /** Without it the list has one page. */
  paging?: { offset: number; onOffset(offset: number): void }
}

/** A list of the API: skeleton, refusal, what to do if there is nothing, rows, pages. */
export function ListView<Row>({ read, caption, columns, idOf, empty, paging }: ListViewProps<Row>) {
  const { data, error, isPending, refetch } = read
  return (
    <>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data?.items.length === 0 && <Empty {...empty} />}
      {data && data.items.length > 0 && (
        <DataTable caption={caption} columns={columns} rows={data.items} idOf={idOf} />
      )}
      {data && paging && <Pager total={data.total} isCapped={data.totalIsCapped ?? false} {...paging} />}
    </>
  )
}
