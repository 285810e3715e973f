import { Badge, Box, Button, Group, Paper, Rating, Stack, Text, Textarea } from '@mantine/core'
import { IconStar } from '@tabler/icons-react'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { Review } from '../../../api/schema.d.ts'
import { Empty } from '../../../parts/empty.tsx'
import { FormDialog } from '../../../parts/form-dialog.tsx'
import { number } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { PAGE_SIZE, Pager } from '../../../parts/list/pager.tsx'
import { When } from '../../../parts/when.tsx'
import { counted, t } from '../../../texts/text.ts'
import { AgentFrame } from '../agent/frame.tsx'

const route = getRouteApi('/public/private/app/selling/agents/$id/reviews')

/** What buyers say of the agent, with its replies. */
export function AgentReviews() {
  const { id } = route.useParams()
  const { offset = 0 } = route.useSearch()
  const navigate = useNavigate({ from: '/app/selling/agents/$id/reviews' })
  const { data, error, refetch } = $api.useQuery('get', '/agents/{id}/reviews', {
    params: { path: { id }, query: { offset, limit: PAGE_SIZE } },
  })
  return (
    <AgentFrame id={id}>
      {() => (
        <>
          <ProblemNotice error={error} retry={() => void refetch()} />
          {!data && !error && <Loading />}
          {data?.total === 0 && (
            <Empty
              icon={IconStar}
              title={t('selling.reviews.empty.title')}
              text={t('selling.reviews.empty.text')}
            />
          )}
          {data && data.average !== null && (
            <Text>{counted('selling.reviews.average', data.count, { average: number(data.average) })}</Text>
          )}
          {data?.items.map(review => (
            <ReviewCard key={review.id} review={review} />
          ))}
          {data && (
            <Pager
              total={data.total}
              isCapped={data.totalIsCapped}
              offset={offset}
              onOffset={(next, replace) => void navigate({ search: { offset: next || undefined }, replace })}
            />
          )}
        </>
      )}
    </AgentFrame>
  )
}

function ReviewCard({ review }: { review: Review }) {
  const { rating, comment, reply, repliedAt, test, createdAt } = review
  return (
    <Paper withBorder p="md" component="article">
      <Stack gap="xs">
        <Group gap="sm">
          <Box role="img" aria-label={t('selling.reviews.stars', { rating })}>
            <Rating value={rating} readOnly size="sm" aria-hidden />
          </Box>
          <When at={createdAt} size="sm" c="dimmed" />
          {test && (
            <Badge variant="default" tt="none">
              {t('selling.testCredit')}
            </Badge>
          )}
        </Group>
        <Text size="sm">{comment ?? t('selling.reviews.noComment')}</Text>
        {reply ? (
          <Paper withBorder p="sm" ml="md">
            <Text size="xs" c="dimmed">
              {t('selling.reviews.yourReply')} {repliedAt && <When at={repliedAt} />}
            </Text>
            <Text size="sm">{reply}</Text>
          </Paper>
        ) : (
          <Group>
            <Reply review={review} />
          </Group>
        )}
      </Stack>
    </Paper>
  )
}

function Reply({ review: { id, agentId } }: { review: Review }) {
  const [opened, setOpened] = useState(false)
  const [text, setText] = useState('')
  const reply = $api.useMutation('post', '/agents/{id}/reviews/{reviewId}/reply')
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setOpened(true)}>
        {t('selling.reviews.reply')}
      </Button>
      <FormDialog
        title={t('selling.reviews.reply')}
        confirm={t('selling.reviews.publish')}
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          await reply.mutateAsync({ params: { path: { id: agentId, reviewId: id } }, body: { reply: text } })
          void refreshReads('/agents/{id}/reviews')
        }}
      >
        <Text size="sm">{t('selling.reviews.reply.text')}</Text>
        <Textarea
          label={t('selling.reviews.yourReply')}
          required
          autosize
          minRows={3}
          value={text}
          onChange={event => setText(event.currentTarget.value)}
          data-autofocus
        />
      </FormDialog>
    </>
  )
}
