import { Button, Code, Group, JsonInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { Agent, Execution } from '../../../api/schema.d.ts'
import { AmountField } from '../../../parts/amount-field.tsx'
import { ConfirmAmount } from '../../../parts/confirm-amount.tsx'
import { Details } from '../../../parts/details.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { Status } from '../../../parts/status.tsx'
import { t } from '../../../texts/text.ts'
import { durationOf } from './run-columns.tsx'
import { exampleOf, inputOf } from './run-input.ts'

/** Runs the agent as a buyer would, and shows what it answers. */
export function TestRun({ agent }: { agent: Agent }) {
  const { id, pricing, status, inputSchema } = agent
  const [input, setInput] = useState(() => JSON.stringify(exampleOf(inputSchema), null, 2))
  const [budget, setBudget] = useState<string | number>('1')
  const [isAsking, setAsking] = useState(false)
  const [runId, setRunId] = useState<string | null>(null)
  const execute = $api.useMutation('post', '/agents/{id}/execute')
  const isCustom = pricing.model === 'custom'
  const price = isCustom ? budget : pricing.amount
  const run = async () => {
    const body = { input: inputOf(input), ...(isCustom ? { budget: String(budget) } : {}) }
    const { execution } = await execute.mutateAsync({ params: { path: { id } }, body })
    setRunId(execution.id)
    void refreshReads('/agents/{id}/executions', '/agents/my-runs', '/wallets')
  }
  return (
    <Panel title={t('selling.test.title')}>
      <Text size="sm" c="dimmed">
        {t(agent.ap2Endpoint ? 'selling.test.text' : 'selling.test.pull')}
      </Text>
      <JsonInput
        label={t('selling.test.input')}
        autosize
        minRows={4}
        value={input}
        onChange={setInput}
        error={inputOf(input) === undefined ? t('selling.invalid.json') : undefined}
      />
      {isCustom && (
        <AmountField
          label={t('selling.test.budget')}
          currency={pricing.currency}
          maw={220}
          value={budget}
          onChange={setBudget}
        />
      )}
      {status !== 'ACTIVE' && <Text size="sm">{t('selling.test.unpublished')}</Text>}
      <ProblemNotice error={isAsking ? null : execute.error} />
      <Group>
        <Button
          disabled={status !== 'ACTIVE' || inputOf(input) === undefined || (isCustom && !Number(budget))}
          loading={execute.isPending && !isAsking}
          onClick={() => (Number(price) > 0 ? setAsking(true) : void run().catch(() => undefined))}
        >
          {t('selling.test.run')}
        </Button>
      </Group>
      <ConfirmAmount
        title={t('selling.test.confirm')}
        amount={price}
        currency={pricing.currency}
        confirm={t('selling.test.run')}
        opened={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={run}
      >
        {t('selling.test.costs')}
      </ConfirmAmount>
      {runId && <Outcome id={runId} />}
    </Panel>
  )
}

const isOver = ({ status }: Execution): boolean =>
  !['PENDING', 'RUNNING', 'AWAITING_APPROVAL'].includes(status)

function Outcome({ id }: { id: string }) {
  const { data: run, error } = $api.useQuery(
    'get',
    '/agents/my-runs/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state: { data } }) => (data && isOver(data) ? false : 1000) },
  )
  return (
    <Stack gap="sm" aria-live="polite">
      <ProblemNotice error={error} />
      {run && (
        <Details
          rows={[
            [t('selling.column.status'), <Status key="status" value={run.status} />],
            [t('selling.column.duration'), durationOf(run)],
            [t('selling.test.attempts'), String(run.attempts)],
            ...(run.error
              ? ([[t('selling.column.problem'), run.error.message ?? run.error.code]] as const)
              : []),
          ]}
        />
      )}
      {run?.output !== null && run?.output !== undefined && (
        <>
          <Text size="sm" fw={600}>
            {t('selling.test.output')}
          </Text>
          <Code block tabIndex={0} data-testid="output">
            {JSON.stringify(run.output, null, 2)}
          </Code>
        </>
      )}
    </Stack>
  )
}
