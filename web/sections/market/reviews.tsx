import { Badge, Box, Group, Paper, Progress, Rating, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api } from '../../api/client.ts'
import type { Review, ReviewPage } from '../../api/schema.d.ts'
import { site } from '../../app/page-data.ts'
import { decimal, number } from '../../parts/format.ts'
import { Loading } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../parts/list/pager.tsx'
import { When } from '../../parts/when.tsx'
import { counted, t } from '../../texts/text.ts'

/** What buyers say of an agent. */
export function Reviews({ agentId }: { agentId: string }) {
  const [offset, setOffset] = useState(0)
  const { data, error, isPending, refetch } = $api.useQuery('get', '/agents/{id}/reviews', {
    params: { path: { id: agentId }, query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <Panel title={t('agent.reviews')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading rows={2} />}
      {data?.count === 0 && (
        <Text size="sm" c="dimmed">
          {t('agent.reviews.none')}
        </Text>
      )}
      {data && data.count > 0 && <Summary reviews={data} />}
      {data?.items.map(review => (
        <ReviewCard key={review.id} review={review} />
      ))}
      {data && (
        <Pager total={data.total} isCapped={data.totalIsCapped} offset={offset} onOffset={setOffset} />
      )}
    </Panel>
  )
}

function Summary({ reviews: { average, count, distribution } }: { reviews: ReviewPage }) {
  return (
    <Group gap="xl" align="center">
      <Stack gap={2} align="center">
        <Text fz={34} fw={700} lh={1}>
          {decimal(average ?? 0)}
        </Text>
        <Rating value={average ?? 0} fractions={4} readOnly size="sm" aria-hidden />
        <Text size="xs" c="dimmed">
          {counted('agent.reviews', count)}
        </Text>
      </Stack>
      <Stack gap={4} flex={1} miw={180}>
        {distribution
          .map((given, index) => ({ stars: index + 1, given }))
          .toReversed()
          .map(({ stars, given }) => (
            <Group key={stars} gap="xs" wrap="nowrap">
              <Text size="xs" w={60}>
                {counted('agent.reviews.stars', stars)}
              </Text>
              <Progress
                value={(100 * given) / count}
                color="yellow"
                size="sm"
                flex={1}
                aria-label={counted('agent.reviews.stars', stars)}
              />
              <Text size="xs" c="dimmed" w={32} ta="right">
                {number(given)}
              </Text>
            </Group>
          ))}
      </Stack>
    </Group>
  )
}

function ReviewCard({ review: { rating, comment, reply, test, createdAt } }: { review: Review }) {
  return (
    <Box py="xs">
      <Group gap="sm" mb={4}>
        <Box role="img" aria-label={counted('agent.reviews.stars', rating)}>
          <Rating value={rating} readOnly size="sm" aria-hidden />
        </Box>
        <Text size="xs" c="dimmed">
          <When at={createdAt} />
        </Text>
        {test && !site.sandbox && (
          <Badge variant="default" size="sm" tt="none">
            {t('agent.reviews.test')}
          </Badge>
        )}
      </Group>
      {comment && <Text size="sm">{comment}</Text>}
      {reply && (
        <Paper withBorder p="sm" mt="xs" ml="md">
          <Text size="xs" c="dimmed">
            {t('agent.reviews.reply')}
          </Text>
          <Text size="sm">{reply}</Text>
        </Paper>
      )}
    </Box>
  )
}
