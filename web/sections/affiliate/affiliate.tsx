import { Alert, Button, Text } from '@mantine/core'
import { IconAffiliate } from '@tabler/icons-react'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Affiliate } from '../../api/schema.d.ts'
import { Empty } from '../../parts/empty.tsx'
import { ButtonLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { Dashboard } from './dashboard.tsx'
import { useMembership } from './membership.ts'

/** The affiliate program: how to join, or what the links of the account have brought. */
export function AffiliatePage() {
  const { data, error, refetch, isPending } = useMembership()
  const affiliate = data?.affiliate
  if (affiliate?.status === 'ACTIVE') return <Dashboard affiliate={affiliate} />
  return (
    <Page title={t('affiliate.title')} description={t('affiliate.text')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={3} height={120} />}
      {affiliate === null && <Join />}
      {affiliate && <State affiliate={affiliate} />}
    </Page>
  )
}

function Join() {
  const me = useMe()
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const enroll = async () => {
    setBusy(true)
    try {
      await api.POST('/affiliates/enroll')
      await refreshReads('/affiliates')
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <>
      <Empty
        icon={IconAffiliate}
        title={t('affiliate.join')}
        text={t('affiliate.joinText')}
        action={
          me?.userType === 'AGENT' ? (
            <Button loading={isBusy} onClick={() => void enroll()}>
              {t('affiliate.enroll')}
            </Button>
          ) : (
            <ButtonLink to="/app/affiliate/apply">{t('affiliate.apply')}</ButtonLink>
          )
        }
      />
      <ProblemNotice error={error} />
    </>
  )
}

const COLORS = { PENDING: 'yellow', REJECTED: 'red', SUSPENDED: 'red', ACTIVE: 'teal' } as const

function State({ affiliate: { status, reviewReason } }: { affiliate: Affiliate }) {
  return (
    <>
      <Alert color={COLORS[status]} role="status" title={t(`affiliate.state.${status}`)}>
        <Text size="sm">{t(`affiliate.state.${status}.text`)}</Text>
        {reviewReason && <Text size="sm">{t('affiliate.reason', { reason: reviewReason })}</Text>}
      </Alert>
      {status === 'REJECTED' && (
        <ButtonLink to="/app/affiliate/apply" w="fit-content">
          {t('affiliate.applyAgain')}
        </ButtonLink>
      )}
    </>
  )
}
