import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { Affiliate } from '../../api/schema.d.ts'
import { Copy } from '../../parts/copy.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

/** The link of the affiliate, and links to a page of their choice. */
export function Links({ affiliate }: { affiliate: Affiliate }) {
  const [dest, setDest] = useState('')
  const [label, setLabel] = useState('')
  const [made, setMade] = useState<readonly string[]>([])
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const make = async () => {
    setBusy(true)
    setError(null)
    try {
      const { data } = await api.POST('/affiliates/links/generate', {
        body: { ...(dest ? { dest } : {}), ...(label ? { label } : {}) },
      })
      if (data) setMade(links => [data.url, ...links.filter(url => url !== data.url)])
    } catch (problem) {
      setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Panel title={t('affiliate.links')}>
      <Text size="sm">{t('affiliate.links.text')}</Text>
      <Copy value={affiliate.link} label={t('affiliate.link')} />
      <form
        onSubmit={event => {
          event.preventDefault()
          void make()
        }}
      >
        <Stack gap="xs">
          <Group align="flex-end">
            <TextInput
              label={t('affiliate.links.dest')}
              placeholder="/app/agents"
              maxLength={2000}
              value={dest}
              onChange={event => setDest(event.currentTarget.value)}
            />
            <TextInput
              label={t('affiliate.links.label')}
              placeholder={t('affiliate.links.example')}
              maxLength={100}
              value={label}
              onChange={event => setLabel(event.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={isBusy}>
              {t('affiliate.links.make')}
            </Button>
          </Group>
          <ProblemNotice error={error} />
          <Stack gap="xs" aria-live="polite">
            {made.map(url => (
              <Copy key={url} value={url} label={url} />
            ))}
          </Stack>
        </Stack>
      </form>
    </Panel>
  )
}
