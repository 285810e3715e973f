import { NativeSelect } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { $api } from '../../../api/client.ts'
import { useOrganizations } from '../../../api/organizations.ts'
import { useMe } from '../../../api/me.ts'
import type { Account } from '../../../api/schema.d.ts'
import { money } from '../../../parts/format.ts'
import { microOf } from '../../../parts/micro.ts'
import { Loading, Page } from '../../../parts/page.tsx'
import { t } from '../../../texts/text.ts'
import { useMyAgents } from '../queries.ts'
import { PayoutAccount } from './payout-account.tsx'
import { PayoutHistory } from './payout-history.tsx'
import type { Owner } from './payout-owner.ts'
import { PayoutRequest } from './payout-request.tsx'
import { ToOwnWallet } from './to-own-wallet.tsx'

const route = getRouteApi('/public/private/app/selling/payouts')

/** Money that leaves the service: of the person, of an agent, of an organization. */
export function Payouts() {
  const me = useMe()
  return (
    <Page title={t('selling.payouts.title')} description={t('selling.payouts.text')}>
      {me ? <OfOwner me={me} /> : <Loading />}
    </Page>
  )
}

function OfOwner({ me }: { me: Account }) {
  const { agent, organization, offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/payouts' })
  const owner: Owner = agent
    ? { kind: 'agent', id: agent }
    : organization
      ? { kind: 'organization', slug: organization }
      : { kind: 'user', id: me.id }
  const key = agent ?? organization ?? me.id
  return (
    <>
      <OwnerChoice me={me} agent={agent} organization={organization} />
      <PayoutAccount key={`account ${key}`} owner={owner} />
      <PayoutRequest key={`request ${key}`} owner={owner} />
      {owner.kind === 'agent' && <ToOwnWallet key={`move ${key}`} agentId={owner.id} />}
      <PayoutHistory
        owner={owner}
        offset={offset}
        onOffset={(next, replace) =>
          void navigate({ search: { agent, organization, offset: next || undefined }, replace })
        }
      />
    </>
  )
}

/** Names of owners with the money that each can take out: what agents earn is in wallets of their own. */
function useWithdrawable(userId: string): (ownerId: string, label: string) => string {
  const { data } = $api.useQuery('get', '/wallets/user/{userId}/detail', { params: { path: { userId } } })
  const wallets = [...(data?.wallets ?? []), ...(data?.agentWallets ?? [])]
  return (ownerId, label) => {
    const amounts = wallets
      .filter(wallet => wallet.ownerId === ownerId && microOf(wallet.withdrawable) > 0n)
      .map(({ withdrawable, currency }) => money(withdrawable, currency))
    return amounts.length > 0 ? `${label} (${amounts.join(', ')})` : label
  }
}

interface OwnerChoiceProps {
  me: Account
  agent: string | undefined
  organization: string | undefined
}

function OwnerChoice({ me, agent, organization }: OwnerChoiceProps) {
  const navigate = useNavigate({ from: '/app/selling/payouts' })
  const { data: mine } = useMyAgents()
  const { data: joined } = useOrganizations()
  const choose = (value: string) => {
    const [kind, id] = value.split(' ')
    void navigate({
      search: kind === 'agent' ? { agent: id } : kind === 'organization' ? { organization: id } : {},
    })
  }
  const withMoney = useWithdrawable(me.id)
  const agents = (mine?.items ?? []).filter(({ ownerId }) => ownerId === me.id)
  const organizations = (joined?.items ?? []).filter(({ role }) => role !== 'MEMBER')
  return (
    <NativeSelect
      label={t('selling.payouts.from')}
      maw={420}
      value={agent ? `agent ${agent}` : organization ? `organization ${organization}` : 'user'}
      onChange={event => choose(event.currentTarget.value)}
      data={[
        { value: 'user', label: withMoney(me.id, t('selling.payouts.you', { name: me.displayName })) },
        ...agents.map(({ id, name }) => ({
          value: `agent ${id}`,
          label: withMoney(id, t('selling.payouts.agent', { name })),
        })),
        ...organizations.map(({ slug, name }) => ({
          value: `organization ${slug}`,
          label: t('selling.payouts.organization', { name }),
        })),
      ]}
    />
  )
}
