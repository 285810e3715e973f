import { Group, Image, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import type { Agent } from '../../../api/schema.d.ts'
import { site } from '../../../app/page-data.ts'
import { Copy } from '../../../parts/copy.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { t } from '../../../texts/text.ts'

const FORMS = ['html', 'markdown'] as const

const escapeHtml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
const escapeMarkdown = (text: string): string => text.replaceAll(/[[\]\\]/g, String.raw`\$&`)

/** The text to put into a page or a README. */
function snippetOf(form: (typeof FORMS)[number], { slug, name }: Agent): string {
  const image = `${site.publicUrl}/agents/slug/${slug}/badge`
  const page = `${site.publicUrl}/app/agents/${slug}`
  const label = t('selling.badge.alt', { name })
  return form === 'html'
    ? `<a href="${page}"><img src="${image}" alt="${escapeHtml(label)}"></a>`
    : `[![${escapeMarkdown(label)}](${image})](${page})`
}

/** The trust badge for other sites, with a preview. */
export function BadgeSnippet({ agent }: { agent: Agent }) {
  const [form, setForm] = useState<(typeof FORMS)[number]>('html')
  return (
    <Panel title={t('selling.badge.title')}>
      <Text size="sm" c="dimmed">
        {t('selling.badge.text')}
      </Text>
      <Stack gap="sm">
        <Group>
          <Image
            src={`/agents/slug/${agent.slug}/badge`}
            alt={t('selling.badge.alt', { name: agent.name })}
            w="auto"
            h={20}
            radius={0}
          />
        </Group>
        <Group>
          <SegmentedControl
            aria-label={t('selling.badge.form')}
            value={form}
            onChange={value => setForm(value === 'markdown' ? 'markdown' : 'html')}
            data={[
              { value: 'html', label: 'HTML' },
              { value: 'markdown', label: 'Markdown' },
            ]}
          />
        </Group>
        <Copy value={snippetOf(form, agent)} label={t('selling.badge.snippet')} />
      </Stack>
    </Panel>
  )
}
