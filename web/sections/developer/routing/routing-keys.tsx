import { Button, Code, Group, Text } from '@mantine/core'
import { IconRoute } from '@tabler/icons-react'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../../api/client.ts'
import type { RoutingKey } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { money, number } from '../../../parts/format.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { DataTable } from '../../../parts/list/table.tsx'
import { When } from '../../../parts/when.tsx'
import { counted, t } from '../../../texts/text.ts'
import { ShownKey } from '../shown-key.tsx'
import { KeyForm } from './key-form.tsx'

/** Keys for requests to models. */
export function RoutingKeys() {
  const { data, error, refetch, isPending } = $api.useQuery('get', '/v1/auth/keys', {})
  // 'new' opens the form without values.
  const [edited, setEdited] = useState<RoutingKey | 'new' | null>(null)
  const [key, setKey] = useState<string | null>(null)
  const make = <Button onClick={() => setEdited('new')}>{t('developer.routingKey.create')}</Button>
  return (
    <Page
      title={t('developer.routingKeys')}
      description={t('developer.routingKeys.text')}
      actions={
        <>
          <ButtonLink to="/app/developer/playground" variant="default">
            {t('nav.playground')}
          </ButtonLink>
          {make}
        </>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      <ShownKey value={key} onClose={() => setKey(null)} />
      {isPending && <Loading />}
      {data?.data.length === 0 && (
        <Empty
          icon={IconRoute}
          title={t('developer.routingKeys.empty')}
          text={t('developer.routingKeys.emptyText')}
          action={make}
        />
      )}
      {data && data.data.length > 0 && <KeyTable keys={data.data} onEdit={setEdited} />}
      {edited && (
        <KeyForm edited={edited === 'new' ? null : edited} onClose={() => setEdited(null)} onMade={setKey} />
      )}
    </Page>
  )
}

/** The limits of a key in a few words. */
function limitsOf({ rpm, tpm, parallel, dailyUsd, weeklyUsd, monthlyUsd }: RoutingKey['limits']): string {
  const words = [
    dailyUsd !== null && t('developer.limit.perDay', { amount: money(dailyUsd, 'USD') }),
    weeklyUsd !== null && t('developer.limit.perWeek', { amount: money(weeklyUsd, 'USD') }),
    monthlyUsd !== null && t('developer.limit.perMonth', { amount: money(monthlyUsd, 'USD') }),
    rpm !== null && counted('developer.limit.rpmValue', rpm),
    tpm !== null && counted('developer.limit.tpmValue', tpm),
    parallel !== null && t('developer.limit.parallelValue', { count: number(parallel) }),
  ]
  return words.filter(Boolean).join(', ') || t('developer.unlimited')
}

interface KeyTableProps {
  keys: readonly RoutingKey[]
  onEdit(key: RoutingKey): void
}

function KeyTable({ keys, onEdit }: KeyTableProps) {
  const [revoked, setRevoked] = useState<RoutingKey | null>(null)
  const revoke = async () => {
    await api.DELETE('/v1/auth/keys/{id}', { params: { path: { id: revoked?.id ?? '' } } })
    await refreshReads('/v1/auth/keys')
  }
  return (
    <>
      <DataTable
        caption={t('developer.routingKeys')}
        rows={keys}
        idOf={({ id }) => id}
        columns={[
          { title: t('developer.name'), render: ({ name }) => <Text fw={500}>{name}</Text> },
          { title: t('developer.key'), render: ({ keyPrefix }) => <Code>{keyPrefix}</Code> },
          { title: t('developer.limits'), render: ({ limits }) => limitsOf(limits) },
          {
            title: t('developer.lastUsed'),
            render: ({ lastUsedAt }) => (lastUsedAt ? <When at={lastUsedAt} /> : t('developer.never')),
          },
          { title: t('developer.status'), render: ({ status }) => <Status value={status} /> },
          {
            title: t('developer.actions'),
            isActions: true,
            render: key =>
              key.status !== 'REVOKED' && (
                <Group gap="xs" justify="flex-end" wrap="nowrap">
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('developer.routingKey.editNamed', { name: key.name })}
                    onClick={() => onEdit(key)}
                  >
                    {t('developer.routingKey.edit')}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={t('developer.routingKey.revokeNamed', { name: key.name })}
                    onClick={() => setRevoked(key)}
                  >
                    {t('developer.routingKey.revoke')}
                  </Button>
                </Group>
              ),
          },
        ]}
      />
      <FormDialog
        title={t('developer.routingKey.revokeTitle')}
        confirm={t('developer.routingKey.revoke')}
        color="red"
        opened={revoked !== null}
        onClose={() => setRevoked(null)}
        onConfirm={revoke}
      >
        <Text size="sm">{t('developer.routingKey.revokeText', { name: revoked?.name ?? '' })}</Text>
      </FormDialog>
    </>
  )
}
