import { Button, Group, Select, Stack, Text, Textarea } from '@mantine/core'
import { useRef, useState } from 'react'
import { $api, refreshReads } from '../../../api/client.ts'
import type { RouteDecision } from '../../../api/schema.d.ts'
import { Details } from '../../../parts/details.tsx'
import { money, number } from '../../../parts/format.ts'
import { Page } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { previewRoute, streamAnswer, type Progress } from './gateway.ts'
import { KeyChoice } from './key-choice.tsx'
import { Preview } from './preview.tsx'

const LONGEST_PROMPT = 20_000

/** Stays until the page is loaded anew, and is never stored. */
let remembered = ''

/** Asks a model, and shows which one the gateway selects and what it costs. */
export function Playground() {
  const [key, setKey] = useState(remembered)
  const remember = (next: string) => {
    remembered = next
    setKey(next)
  }
  return (
    <Page title={t('nav.playground')} description={t('developer.playground.text')}>
      <KeyChoice value={key} onChange={remember} />
      <Trial routingKey={key} />
    </Page>
  )
}

function Trial({ routingKey }: { routingKey: string }) {
  const { data: models } = $api.useQuery('get', '/v1/models', {})
  const [model, setModel] = useState('auto')
  const [prompt, setPrompt] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [busy, setBusy] = useState<'ask' | 'preview' | null>(null)
  const [decision, setDecision] = useState<RouteDecision | null>(null)
  const [answer, setAnswer] = useState<Progress | null>(null)
  const stop = useRef<AbortController | null>(null)
  const run = async (kind: 'ask' | 'preview', work: () => Promise<void>) => {
    setBusy(kind)
    setError(null)
    try {
      await work()
    } catch (problem) {
      if (!stop.current?.signal.aborted) setError(problem)
    } finally {
      setBusy(null)
    }
  }
  const ask = () =>
    run('ask', async () => {
      stop.current = new AbortController()
      setAnswer(null)
      for await (const progress of streamAnswer(routingKey, { model, prompt }, stop.current.signal))
        setAnswer(progress)
      await refreshReads('/v1/usage', '/v1/analytics', '/v1/wallet')
    })
  const preview = () =>
    run('preview', async () => setDecision(await previewRoute(routingKey, { model, prompt })))
  const isReady = routingKey !== '' && prompt.trim() !== ''
  const names = [...(models?.virtual ?? []), ...(models?.data ?? [])].map(({ id }) => id)
  return (
    <>
      <Panel title={t('developer.playground.request')}>
        <Select
          label={t('developer.model')}
          data={[...new Set(['auto', ...names])]}
          value={model}
          onChange={next => setModel(next ?? 'auto')}
          allowDeselect={false}
          searchable
          maw={320}
        />
        <Textarea
          label={t('developer.playground.prompt')}
          autosize
          minRows={4}
          maxLength={LONGEST_PROMPT}
          value={prompt}
          onChange={event => setPrompt(event.currentTarget.value)}
        />
        <Group>
          <Button disabled={!isReady} loading={busy === 'ask'} onClick={() => void ask()}>
            {t('developer.playground.send')}
          </Button>
          <Button
            variant="default"
            disabled={!isReady}
            loading={busy === 'preview'}
            onClick={() => void preview()}
          >
            {t('developer.playground.preview')}
          </Button>
          {busy === 'ask' && (
            <Button variant="default" onClick={() => stop.current?.abort()}>
              {t('developer.playground.stop')}
            </Button>
          )}
        </Group>
        {!routingKey && (
          <Text size="sm" c="dimmed">
            {t('developer.playground.noKey')}
          </Text>
        )}
        <ProblemNotice error={error} />
      </Panel>
      {decision && <Preview decision={decision} />}
      {answer && <Answer answer={answer} />}
    </>
  )
}

function Answer({ answer: { text, model, costUsd, tokens } }: { answer: Progress }) {
  return (
    <Panel title={t('developer.playground.answer')}>
      <Stack gap="md">
        <Text className="text-as-written" aria-live="polite">
          {text}
        </Text>
        <Details
          rows={[
            [t('developer.model'), model],
            [t('developer.usage.cost'), costUsd === undefined ? '…' : money(costUsd, 'USD')],
            [t('developer.usage.tokens'), tokens === undefined ? '…' : number(tokens)],
          ]}
        />
      </Stack>
    </Panel>
  )
}
