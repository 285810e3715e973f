import { List, Modal } from '@mantine/core'
import type { RoutedRequest } from '../../../api/schema.d.ts'
import { Copy } from '../../../parts/copy.tsx'
import { Details } from '../../../parts/details.tsx'
import { dateTime, decimal, money, number } from '../../../parts/format.ts'
import { Status } from '../../../parts/status.tsx'
import { t } from '../../../texts/text.ts'

export const Outcome = ({ value }: { value: RoutedRequest['outcome'] }) => (
  <Status value={value.toUpperCase()} label={t(`developer.outcome.${value}`)} />
)

interface RequestDetailsProps {
  request: RoutedRequest | null
  onClose(): void
}

/** All that is recorded about one request; its prompt and its answer are not stored. */
export function RequestDetails({ request, onClose }: RequestDetailsProps) {
  return (
    <Modal
      opened={request !== null}
      onClose={onClose}
      title={t('developer.requests.detailsTitle')}
      size="lg"
      centered
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      {request && <Details rows={rowsOf(request)} />}
    </Modal>
  )
}

function rowsOf(request: RoutedRequest) {
  const { tokens, attempts, complexity, ttftMs } = request
  return [
    [t('developer.requests.id'), <Copy key="id" value={request.id} label={t('developer.requests.id')} />],
    [t('developer.requests.time'), dateTime(request.createdAt)],
    [t('developer.outcome'), <Outcome key="outcome" value={request.outcome} />],
    [t('developer.requests.asked'), request.requestedModel],
    [t('developer.model'), `${request.model} (${request.provider})`],
    [t('developer.models.tier'), t(`developer.tier.${request.tier}`)],
    [t('developer.requests.complexity'), complexity === null ? '–' : decimal(complexity)],
    [
      t('developer.usage.tokens'),
      t('developer.requests.tokens', {
        input: number(tokens.input),
        output: number(tokens.output),
        cached: number(tokens.cacheRead),
      }),
    ],
    [t('developer.usage.cost'), money(request.costUsd, 'USD')],
    [t('developer.requests.fee'), money(request.feeUsd, 'USD')],
    [t('developer.usage.latency'), t('developer.ms', { count: number(request.latencyMs) })],
    [t('developer.requests.first'), ttftMs === null ? '–' : t('developer.ms', { count: number(ttftMs) })],
    [
      t('developer.requests.attempts'),
      <List key="attempts" size="sm" type="ordered">
        {attempts.map(({ model, result, latencyMs }, at) => (
          <List.Item key={at}>
            {`${model}: ${result}, ${t('developer.ms', { count: number(Math.round(latencyMs)) })}`}
          </List.Item>
        ))}
      </List>,
    ],
  ] as const
}
