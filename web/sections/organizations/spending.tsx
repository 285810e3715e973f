import { Button, Text } from '@mantine/core'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import type { Organization, OrganizationBudget, OrganizationPolicy } from '../../api/schema.d.ts'
import { offerUndo } from '../../app/undo.tsx'
import { LimitField, limitOf } from '../../parts/budget/limit-field.tsx'
import { Spent } from '../../parts/budget/spent.tsx'
import { Details } from '../../parts/details.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { money } from '../../parts/format.ts'
import { ListView } from '../../parts/list/list-view.tsx'
import { PAGE_SIZE } from '../../parts/list/pager.tsx'
import { Loading } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { nameOf, t } from '../../texts/text.ts'

const limitText = (limit: string | null, currency: string): string =>
  limit === null ? t('budget.noLimit') : money(limit, currency)

/** What an organization and its members may spend, and what is spent this month; an OWNER changes it. */
export function Spending({ organization: { slug, role } }: { organization: Organization }) {
  const { data, error, refetch } = $api.useQuery('get', '/organizations/{slug}/policy', {
    params: { path: { slug } },
  })
  const [isEditing, setEditing] = useState(false)
  const isOwner = role === 'OWNER'
  return (
    <Panel
      title={t('organizations.spending')}
      actions={
        isOwner &&
        data && (
          <Button variant="default" onClick={() => setEditing(true)}>
            {t('organizations.policy.edit')}
          </Button>
        )
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={2} />}
      {data && (
        <>
          <Spent budget={data} />
          <Details
            rows={[
              [t('organizations.policy.month'), limitText(data.monthlyLimit, data.currency)],
              [t('organizations.policy.each'), limitText(data.perTransactionLimit, data.currency)],
            ]}
          />
        </>
      )}
      <Text size="sm" c="dimmed">
        {t(isOwner ? 'organizations.spendingText' : 'organizations.spendingTextMember')}
      </Text>
      <Budgets slug={slug} canEdit={isOwner} />
      {isEditing && data && <EditPolicy slug={slug} policy={data} onClose={() => setEditing(false)} />}
    </Panel>
  )
}

interface EditPolicyProps {
  slug: string
  policy: OrganizationPolicy
  onClose(): void
}

function EditPolicy({ slug, policy, onClose }: EditPolicyProps) {
  const { currency } = policy
  const [month, setMonth] = useState<string | number>(policy.monthlyLimit ?? '')
  const [each, setEach] = useState<string | number>(policy.perTransactionLimit ?? '')
  const set = async (body: Pick<OrganizationPolicy, 'monthlyLimit' | 'perTransactionLimit'>) => {
    await api.PUT('/organizations/{slug}/policy', { params: { path: { slug } }, body })
    await refreshReads('/organizations')
  }
  return (
    <FormDialog
      title={t('organizations.policy.edit')}
      confirm={t('organizations.policy.save')}
      opened
      onClose={onClose}
      onConfirm={async () => {
        await set({ monthlyLimit: limitOf(month), perTransactionLimit: limitOf(each) })
        const { monthlyLimit, perTransactionLimit } = policy
        offerUndo(t('organizations.policy.saved'), () => set({ monthlyLimit, perTransactionLimit }))
      }}
    >
      <LimitField
        label={t('organizations.policy.month')}
        description={t('organizations.policy.monthHint')}
        currency={currency}
        value={month}
        onChange={setMonth}
        data-autofocus
      />
      <LimitField
        label={t('organizations.policy.each')}
        currency={currency}
        value={each}
        onChange={setEach}
      />
    </FormDialog>
  )
}

const personOf = ({ displayName, username }: OrganizationBudget): string => displayName ?? username ?? ''

function Budgets({ slug, canEdit }: { slug: string; canEdit: boolean }) {
  const [offset, setOffset] = useState(0)
  const [edited, setEdited] = useState<OrganizationBudget | null>(null)
  const read = $api.useQuery('get', '/organizations/{slug}/budgets', {
    params: { path: { slug }, query: { limit: PAGE_SIZE, offset } },
  })
  return (
    <>
      <ListView
        read={read}
        caption={t('organizations.budget.list')}
        idOf={({ userId }) => userId}
        empty={t('organizations.members')}
        paging={{ offset, onOffset: setOffset }}
        columns={[
          { title: t('field.name'), render: personOf },
          { title: t('organizations.role'), render: ({ role }) => nameOf(role) },
          {
            title: t('organizations.budget.spent'),
            align: 'right',
            render: ({ spentThisPeriod, currency }) => money(spentThisPeriod, currency),
          },
          {
            title: t('organizations.budget.limit'),
            align: 'right',
            render: ({ monthlyLimit, currency }) => limitText(monthlyLimit, currency),
          },
          {
            title: t('organizations.budget.left'),
            align: 'right',
            render: ({ remaining, currency }) => (remaining === null ? '–' : money(remaining, currency)),
          },
          ...(canEdit
            ? [
                {
                  title: t('organizations.budget.set'),
                  isActions: true,
                  render: (budget: OrganizationBudget) => (
                    <Button
                      size="xs"
                      variant="default"
                      aria-label={t('organizations.budget.setFor', { name: personOf(budget) })}
                      onClick={() => setEdited(budget)}
                    >
                      {t('organizations.budget.set')}
                    </Button>
                  ),
                },
              ]
            : []),
        ]}
      />
      {edited && <EditBudget slug={slug} budget={edited} onClose={() => setEdited(null)} />}
    </>
  )
}

interface EditBudgetProps {
  slug: string
  budget: OrganizationBudget
  onClose(): void
}

function EditBudget({ slug, budget, onClose }: EditBudgetProps) {
  const [limit, setLimit] = useState<string | number>(budget.monthlyLimit ?? '')
  const name = personOf(budget)
  const set = async (monthlyLimit: string | null) => {
    const params = { path: { slug, userId: budget.userId } }
    await api.PUT('/organizations/{slug}/budgets/{userId}', { params, body: { monthlyLimit } })
    await refreshReads('/organizations')
  }
  return (
    <FormDialog
      title={t('organizations.budget.setFor', { name })}
      confirm={t('organizations.budget.save')}
      opened
      onClose={onClose}
      onConfirm={async () => {
        await set(limitOf(limit))
        offerUndo(t('organizations.budget.saved', { name }), () => set(budget.monthlyLimit))
      }}
    >
      <LimitField
        label={t('organizations.budget.limit')}
        description={t('organizations.policy.monthHint')}
        currency={budget.currency}
        value={limit}
        onChange={setLimit}
        data-autofocus
      />
    </FormDialog>
  )
}
