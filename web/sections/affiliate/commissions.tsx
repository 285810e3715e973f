import { Button, Select } from '@mantine/core'
import { IconCoins, IconDownload } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api } from '../../api/client.ts'
import { downloadFile } from '../../parts/download.ts'
import { Empty } from '../../parts/empty.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { t } from '../../texts/text.ts'
import { CommissionTable } from './commission-table.tsx'
import { useMembership } from './membership.ts'
import { STATES } from './states.ts'

const route = getRouteApi('/public/private/app/affiliate/commissions')

/** All commissions of an affiliate; how to become one for others. */
export function CommissionsPage() {
  const { data, error, refetch } = useMembership()
  if (data?.affiliate) return <Commissions />
  return (
    <Page title={t('affiliate.commissions')} description={t('affiliate.commissions.text')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading />}
      {data && (
        <Empty
          icon={IconCoins}
          title={t('affiliate.commissions.empty')}
          text={t('affiliate.joinText')}
          action={<ButtonLink to="/app/affiliate">{t('affiliate.join')}</ButtonLink>}
        />
      )}
    </Page>
  )
}

/** All commissions, by state. */
function Commissions() {
  const { status, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/affiliate/commissions' })
  const query = { limit: PAGE_SIZE, offset, ...(status ? { status } : {}) }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/affiliates/commissions', {
    params: { query },
  })
  return (
    <Page title={t('affiliate.commissions')} description={t('affiliate.commissions.text')} actions={<Csv />}>
      <Select
        label={t('affiliate.column.state')}
        placeholder={t('field.any')}
        data={STATES.map(value => ({ value, label: t(`affiliate.status.${value}`) }))}
        value={status ?? null}
        onChange={value => {
          const next = STATES.find(state => state === value)
          void navigate({ search: next ? { status: next } : {} })
        }}
        clearable
        maw={280}
      />
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data?.items.length === 0 && (
        <Empty
          icon={IconCoins}
          title={t('affiliate.commissions.empty')}
          text={t('affiliate.conversions.empty')}
          action={<ButtonLink to="/app/affiliate">{t('affiliate.links')}</ButtonLink>}
        />
      )}
      {data && data.items.length > 0 && <CommissionTable commissions={data.items} />}
      {data && (
        <Pager
          total={data.total}
          isCapped={data.totalIsCapped ?? false}
          offset={offset}
          onOffset={(next, replace) => void navigate({ search: old => ({ ...old, offset: next }), replace })}
        />
      )}
    </Page>
  )
}

/** Saves all commissions. */
function Csv() {
  const [error, setError] = useState<unknown>(null)
  const download = async () => {
    setError(null)
    try {
      const { data } = await api.GET('/affiliates/commissions/csv', { parseAs: 'text' })
      downloadFile('commissions.csv', 'text/csv', data ?? '')
    } catch (problem) {
      setError(problem)
    }
  }
  return (
    <>
      <Button variant="default" leftSection={<IconDownload size={18} />} onClick={() => void download()}>
        {t('affiliate.csv')}
      </Button>
      <ProblemNotice error={error} />
    </>
  )
}
