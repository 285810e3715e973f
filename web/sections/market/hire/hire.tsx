import { Box } from '@mantine/core'
import { useForm } from '@mantine/form'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { Agent } from '../../../api/schema.d.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Loading, Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import '../market.css'
import { emptyDraft, priceOfDraft, type HireDraft } from './draft.ts'
import { unassigned } from './milestone-fields.tsx'
import { NeedStep } from './need-step.tsx'
import { ReviewStep } from './review-step.tsx'

const route = getRouteApi('/public/private/app/agents/$slug/hire')

/** Hires an agent in two steps: what is needed, and the review with the payment. */
export function HirePage() {
  const { slug } = route.useParams()
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
      {isPending && <Loading />}
      {data && (
        <Box maw={680}>
          <Steps agent={data} />
        </Box>
      )}
    </Page>
  )
}

function Steps({ agent }: { agent: Agent }) {
  const [isReview, setReview] = useState(false)
  const [initial] = useState(() => emptyDraft(agent))
  const form = useForm<HireDraft>({
    initialValues: initial,
    validate: {
      amount: (amount, { budget }) =>
        budget === 'offer' && !(Number(amount) > 0) ? t('hire.amount.missing') : null,
      milestones: (milestones, draft) =>
        milestones.length > 0 && unassigned(priceOfDraft(draft, agent), milestones) !== 0
          ? t('hire.milestones.sum')
          : null,
    },
  })
  const show = (review: boolean) => {
    setReview(review)
    document.getElementById('page-title')?.focus()
    window.scrollTo(0, 0)
  }
  if (isReview) return <ReviewStep agent={agent} draft={form.getValues()} onBack={() => show(false)} />
  return <NeedStep agent={agent} form={form} onNext={() => show(true)} />
}
