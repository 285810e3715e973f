import { Box } from '@mantine/core'
import { useForm } from '@mantine/form'
import { getRouteApi, useNavigate, useRouter } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { $api } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import '../market.css'
import { priceOfDraft, type HireDraft } from './draft.ts'
import { clearDraft, draftFor, storeDraft } from './stored-draft.ts'
import { unassigned } from './milestone-fields.tsx'
import { NeedStep } from './need-step.tsx'
import { ReviewStep } from './review-step.tsx'

const route = getRouteApi('/public/private/app/agents/$slug/hire')

/** Hires an agent in two steps: what is needed, and the review with the payment. */
export function HirePage() {
  const { slug } = route.useParams()
  const me = useMe()
  const { data, error, refetch, isPending } = $api.useQuery('get', '/agents/slug/{slug}', {
    params: { path: { slug } },
  })
  return (
    <Page
      title={data ? t('hire.title', { agent: data.name }) : t('agent.hire')}
      description={
        <TextLink to="/app/agents/$slug" params={{ slug }}>
          {t('hire.about')}
        </TextLink>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {(isPending || !me) && <Loading />}
      {data && me && (
        <Box maw={680}>
          <Steps agent={data} accountId={me.id} />
        </Box>
      )}
    </Page>
  )
}

function Steps({ agent, accountId }: { agent: Agent; accountId: string }) {
  const { step } = route.useSearch()
  const navigate = useNavigate({ from: '/app/agents/$slug/hire' })
  const { history } = useRouter()
  // The second step is a page of its own for the Back button, and follows the first one.
  const [isChecked, setChecked] = useState(false)
  const isReview = step === 'review' && isChecked
  useEffect(() => {
    if (step === 'review' && !isChecked) void navigate({ search: {}, replace: true })
  }, [step, isChecked, navigate])
  const [initial] = useState(() => draftFor(accountId, agent))
  const form = useForm<HireDraft>({
    initialValues: initial,
    onValuesChange: draft => storeDraft(accountId, agent, draft),
    validate: {
      amount: (amount, { budget }) =>
        budget === 'offer' && !(Number(amount) > 0) ? t('hire.amount.missing') : null,
      milestones: (milestones, draft) =>
        milestones.length > 0 && unassigned(priceOfDraft(draft, agent), milestones) !== 0
          ? t('hire.milestones.sum')
          : null,
    },
  })
  useEffect(() => {
    if (!isChecked) return
    document.getElementById('page-title')?.focus()
    window.scrollTo(0, 0)
  }, [isReview, isChecked])
  if (isReview)
    return (
      <ReviewStep
        agent={agent}
        draft={form.getValues()}
        onBack={() => history.back()}
        onSent={() => clearDraft(accountId, agent)}
      />
    )
  const review = () => {
    setChecked(true)
    void navigate({ search: { step: 'review' } })
  }
  return <NeedStep agent={agent} form={form} onNext={review} />
}
