import { Alert, Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { api, refreshReads } from '../../../api/client.ts'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { expiryTime } from '../expiry.tsx'

/** What a key of the playground may spend in a day. */
const DAILY_USD = '1'

interface KeyChoiceProps {
  value: string
  onChange(key: string): void
}

/** The gateway accepts routing keys only: makes one for today, or takes one that the person has. */
export function KeyChoice({ value, onChange }: KeyChoiceProps) {
  const [typed, setTyped] = useState('')
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const make = async () => {
    setBusy(true)
    setError(null)
    try {
      const body = {
        name: t('nav.playground'),
        limits: { dailyUsd: DAILY_USD },
        expiresAt: expiryTime('1'),
      }
      const { data } = await api.POST('/v1/auth/keys', { body })
      if (data) onChange(data.key)
      await refreshReads('/v1/auth/keys', '/v1/wallet')
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  if (value)
    return (
      <Alert color="green" role="status" title={t('developer.playground.ready')}>
        <Group justify="space-between">
          <Text size="sm">{t('developer.playground.memory')}</Text>
          <Button size="xs" variant="default" onClick={() => onChange('')}>
            {t('developer.playground.other')}
          </Button>
        </Group>
      </Alert>
    )
  return (
    <Panel title={t('developer.playground.key')}>
      <Text size="sm">{t('developer.playground.keyText')}</Text>
      <ProblemNotice error={error} />
      <Group>
        <Button loading={isBusy} onClick={() => void make()}>
          {t('developer.playground.make')}
        </Button>
      </Group>
      <form
        onSubmit={event => {
          event.preventDefault()
          if (typed.trim()) onChange(typed.trim())
        }}
      >
        <Stack gap="xs" align="flex-start">
          <PasswordInput
            visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
            label={t('developer.playground.have')}
            placeholder="rk_…"
            autoComplete="off"
            w="100%"
            maw={460}
            value={typed}
            onChange={event => setTyped(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" disabled={!typed.trim()}>
            {t('developer.playground.use')}
          </Button>
        </Stack>
      </form>
    </Panel>
  )
}
