import { Button, Group, Rating, Stack, Text, Textarea } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import { asProblem } from '../../../api/problem.ts'
import { TextLink } from '../../../parts/link.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { counted, t } from '../../../texts/text.ts'
import type { Deal } from '../deal-state.ts'

/** What the buyer says of the agent after the deal. */
export function Rate({ deal }: { deal: Deal }) {
  const { responderAgent } = deal
  const [rating, setRating] = useState(0)
  const [comment, setComment] = useState('')
  const rate = $api.useMutation('post', '/agents/{id}/reviews', { onSuccess: () => refreshReads('/agents') })
  if (!responderAgent || deal.selfDeal) return null
  // A deal is rated once; the API shows only by its refusal that it was.
  const isDone = rate.isSuccess || (rate.isError && asProblem(rate.error).status === 409)
  return (
    <Panel title={t('deal.rate', { agent: responderAgent.name })}>
      {isDone ? (
        <Text size="sm" role="status">
          {t(rate.isSuccess ? 'deal.rate.thanks' : 'deal.rate.already')}{' '}
          <TextLink to="/app/agents/$slug" params={{ slug: responderAgent.slug }}>
            {responderAgent.name}
          </TextLink>
        </Text>
      ) : (
        <form
          onSubmit={event => {
            event.preventDefault()
            rate.mutate({
              params: { path: { id: responderAgent.id } },
              body: {
                negotiationId: deal.id,
                rating,
                ...(comment.trim() ? { comment: comment.trim() } : {}),
              },
            })
          }}
        >
          <Stack gap="sm">
            <Group gap="sm">
              <Rating
                value={rating}
                onChange={setRating}
                size="lg"
                getSymbolLabel={stars => counted('agent.reviews.stars', stars)}
              />
            </Group>
            <Textarea
              label={t('deal.rate.comment')}
              value={comment}
              onChange={event => setComment(event.currentTarget.value)}
              autosize
              minRows={2}
              maxLength={2000}
            />
            <ProblemNotice error={rate.error} />
            <Button type="submit" disabled={rating === 0} loading={rate.isPending} className="start-button">
              {t('deal.rate.send')}
            </Button>
          </Stack>
        </form>
      )}
    </Panel>
  )
}
