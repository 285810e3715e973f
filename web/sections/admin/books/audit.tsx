import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconHistory } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { $api } from '../../../api/client.ts'
import { Page } from '../../../parts/page.tsx'
import { PAGE_SIZE } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { ListView } from '../../../parts/list/list-view.tsx'
import { MaybePerson, useNames } from '../parts/people.tsx'

const route = getRouteApi('/public/private/app/admin/audit')

/** Who did what to what. */
export function Audit() {
  const { offset = 0, from, to, ...filter } = route.useSearch()
  const search = { ...filter, from, to }
  const navigate = useNavigate({ from: '/app/admin/audit' })
  const read = $api.useQuery('get', '/admin/audit', {
    params: { query: { ...filter, from: moment(from), to: moment(to), offset, limit: PAGE_SIZE } },
  })
  const names = useNames(
    (read.data?.items ?? []).flatMap(({ actorId, target, targetId }) => [
      actorId,
      target === 'account' ? targetId : null,
    ]),
  )
  return (
    <Page title={t('admin.audit.title')} description={t('admin.audit.text')}>
      <Filters />
      <ListView
        read={read}
        caption={t('admin.audit.title')}
        idOf={({ id }) => id}
        empty={{ icon: IconHistory, title: t('admin.audit.empty'), text: t('admin.audit.empty.text') }}
        paging={{
          offset,
          onOffset: (next, replace) => void navigate({ search: { ...search, offset: next }, replace }),
        }}
        columns={[
          { title: t('admin.time'), render: ({ at }) => <When at={at} /> },
          { title: t('admin.action'), render: ({ action }) => action },
          {
            title: t('admin.actor'),
            render: ({ actorId, actorKind }) => (
              <Stack gap={0}>
                {actorId ? <MaybePerson id={actorId} names={names} /> : null}
                <Text size="xs" c="dimmed">
                  {nameOf(actorKind.toUpperCase())}
                </Text>
              </Stack>
            ),
          },
          {
            title: t('admin.object'),
            render: ({ target, targetId }) =>
              targetId && names.has(targetId) ? (
                <MaybePerson id={targetId} names={names} />
              ) : (
                target && `${nameOf(target.toUpperCase())} …${targetId?.slice(-6) ?? ''}`
              ),
          },
          {
            title: t('admin.details'),
            render: ({ details }) => (
              <Text size="xs" c="dimmed" maw={260} style={{ overflowWrap: 'anywhere' }}>
                {details === null ? '' : JSON.stringify(details)}
              </Text>
            ),
          },
        ]}
      />
    </Page>
  )
}

const moment = (local: string | undefined): string | undefined =>
  local && !Number.isNaN(Date.parse(local)) ? new Date(local).toISOString() : undefined

function Filters() {
  const { action = '', actorId = '', targetId = '', from = '', to = '' } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/audit' })
  const form = useForm({ initialValues: { action, actorId, targetId, from, to } })
  const { setValues } = form
  // The address changes by itself, too: by Back, or by a link to this page.
  useEffect(
    () => setValues({ action, actorId, targetId, from, to }),
    [setValues, action, actorId, targetId, from, to],
  )
  const submit = form.onSubmit(values => {
    const given = Object.entries(values)
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value)
    void navigate({ search: Object.fromEntries(given) })
  })
  return (
    <form onSubmit={submit}>
      <Group align="flex-end">
        <TextInput
          label={t('admin.action')}
          placeholder="account.suspended"
          {...form.getInputProps('action')}
        />
        <TextInput label={t('admin.actorId')} {...form.getInputProps('actorId')} />
        <TextInput label={t('admin.targetId')} {...form.getInputProps('targetId')} />
        <TextInput type="datetime-local" label={t('admin.fromTime')} {...form.getInputProps('from')} />
        <TextInput type="datetime-local" label={t('admin.toTime')} {...form.getInputProps('to')} />
        <Button type="submit" variant="default">
          {t('admin.filter')}
        </Button>
      </Group>
    </form>
  )
}
