import { Button, Group, List, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { PayoutAccountStatus } from '../../../api/schema.d.ts'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { setUpPayouts, usePayoutAccount, type Owner } from './payout-owner.ts'

/** The bank account to which payouts go, and what it still needs. */
export function PayoutAccount({ owner }: { owner: Owner }) {
  const { data, error, refetch } = usePayoutAccount(owner)
  return (
    <Panel title={t('selling.account.title')} actions={data && <Status value={data.status} />}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={2} />}
      {data && <Account owner={owner} account={data} />}
    </Panel>
  )
}

const canBeSetUp = ({ status }: PayoutAccountStatus): boolean => status !== 'REJECTED'

function Account({ owner, account }: { owner: Owner; account: PayoutAccountStatus }) {
  const { status, requirements, disabledReason } = account
  const [country, setCountry] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const setUp = async () => {
    setBusy(true)
    setError(null)
    const here = location.href
    try {
      const code = country.trim().toUpperCase()
      const page = await setUpPayouts(owner, {
        returnUrl: here,
        refreshUrl: here,
        ...(code ? { country: code } : {}),
      })
      location.assign(page)
    } catch (problem) {
      setError(problem)
      setBusy(false)
    }
  }
  return (
    <>
      <Text size="sm">{t(`selling.account.${status}`)}</Text>
      {requirements.length > 0 && (
        <List size="sm">
          {requirements.map(name => (
            <List.Item key={name}>{nameOf(name.replaceAll('.', '_').toUpperCase())}</List.Item>
          ))}
        </List>
      )}
      {disabledReason && <Text size="sm">{nameOf(disabledReason.replaceAll('.', '_').toUpperCase())}</Text>}
      {status === 'NOT_CONNECTED' && (
        <TextInput
          label={t('selling.account.country')}
          description={t('selling.account.country.hint')}
          maxLength={2}
          maw={320}
          value={country}
          onChange={event => setCountry(event.currentTarget.value)}
        />
      )}
      <ProblemNotice error={error} />
      {canBeSetUp(account) && (
        <Group>
          <Button
            variant={status === 'ACTIVE' ? 'default' : 'filled'}
            size="sm"
            loading={isBusy}
            onClick={() => void setUp()}
          >
            {t(
              status === 'NOT_CONNECTED'
                ? 'selling.account.connect'
                : status === 'ACTIVE'
                  ? 'selling.account.change'
                  : 'selling.account.continue',
            )}
          </Button>
        </Group>
      )}
    </>
  )
}
