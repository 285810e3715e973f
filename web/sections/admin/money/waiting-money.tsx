import { Tabs } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import type { OnOffset } from '../../../parts/list/pager.tsx'
import { Page } from '../../../parts/page.tsx'
import { t } from '../../../texts/text.ts'
import { SuspenseItems } from './suspense-items.tsx'
import { Transfers } from './transfers.tsx'
import { Unclaimed } from './unclaimed.tsx'

const route = getRouteApi('/public/private/app/admin/suspense')
const KINDS = { payments: SuspenseItems, unclaimed: Unclaimed, transfers: Transfers } as const
type Kind = keyof typeof KINDS

export interface MoneyProps {
  offset: number
  onOffset: OnOffset
}

/** Money that arrived and belongs to nobody yet. */
export function WaitingMoney() {
  const { kind = 'payments', offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/admin/suspense' })
  const List = KINDS[kind]
  return (
    <Page title={t('admin.money.title')} description={t('admin.money.text')}>
      <Tabs
        value={kind}
        onChange={value => void navigate({ search: { kind: value as Kind } })}
        keepMounted={false}
      >
        <Tabs.List mb="md">
          {Object.keys(KINDS).map(each => (
            <Tabs.Tab key={each} value={each}>
              {t(`admin.money.${each as Kind}`)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value={kind}>
          <List
            offset={offset}
            onOffset={(next, replace) => void navigate({ search: { kind, offset: next }, replace })}
          />
        </Tabs.Panel>
      </Tabs>
    </Page>
  )
}
