import { Anchor, Button, Text } from '@mantine/core'
import { IconFiles } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import type { ListedVaultArtifact } from '../../api/schema.d.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { bytesInWords } from '../../parts/format.ts'
import { ListView } from '../../parts/list/list-view.tsx'
import { PAGE_SIZE } from '../../parts/list/pager.tsx'
import type { Column } from '../../parts/list/table.tsx'
import { Page } from '../../parts/page.tsx'
import { When } from '../../parts/when.tsx'
import { t } from '../../texts/text.ts'

const route = getRouteApi('/public/private/app/selling/files')

/** What the account and its agents have uploaded: files that no delivery contains can be deleted. */
export function Files() {
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/files' })
  const read = $api.useQuery('get', '/vault', { params: { query: { limit: PAGE_SIZE, offset } } })
  const [asked, setAsked] = useState<ListedVaultArtifact | null>(null)
  const remove = async () => {
    await api.DELETE('/vault/{id}', { params: { path: { id: asked?.id ?? '' } } })
    await refreshReads('/vault')
  }
  return (
    <Page title={t('files.title')} description={t('files.text')}>
      <ListView
        read={read}
        caption={t('files.title')}
        columns={columnsFor(setAsked)}
        idOf={({ id }) => id}
        empty={{ icon: IconFiles, title: t('files.empty'), text: t('files.empty.text') }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { offset: next }, replace }),
        }}
      />
      <FormDialog
        title={t('files.delete.title')}
        confirm={t('files.delete')}
        color="red"
        opened={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={remove}
      >
        <Text size="sm">{t('files.delete.text', { name: asked?.name ?? '' })}</Text>
      </FormDialog>
    </Page>
  )
}

const columnsFor = (
  onDelete: (file: ListedVaultArtifact) => void,
): readonly Column<ListedVaultArtifact>[] => [
  {
    title: t('files.name'),
    render: ({ id, name }) => (
      <Anchor
        href={`/vault/${encodeURIComponent(id)}/content`}
        download={name}
        inherit
        className="text-as-written"
      >
        {name}
      </Anchor>
    ),
  },
  { title: t('files.size'), align: 'right', render: ({ bytes }) => bytesInWords(bytes) },
  { title: t('files.uploaded'), render: ({ createdAt }) => <When at={createdAt} /> },
  {
    title: t('files.state'),
    render: ({ isDelivered }) => t(isDelivered ? 'files.delivered' : 'files.unused'),
  },
  {
    title: t('files.delete'),
    isActions: true,
    render: file =>
      !file.isDelivered && (
        <Button
          size="xs"
          variant="default"
          aria-label={t('files.delete.named', { name: file.name })}
          onClick={() => onDelete(file)}
        >
          {t('files.delete')}
        </Button>
      ),
  },
]
