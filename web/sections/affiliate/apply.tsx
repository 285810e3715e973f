import { Button, Checkbox, Group, Paper, Stack, TagsInput, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api, refreshReads } from '../../api/client.ts'
import { messagesAt } from '../../parts/field-errors.ts'
import { ButtonLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

const FIELDS = ['displayName', 'code', 'website', 'channels'] as const

/** The application of a person. */
export function Apply() {
  const navigate = useNavigate()
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const form = useForm({
    initialValues: { displayName: '', code: '', website: '', channels: [] as string[], terms: false },
  })
  const send = async ({ displayName, code, website, channels }: typeof form.values) => {
    setBusy(true)
    setError(null)
    try {
      await api.POST('/affiliates/apply', {
        body: {
          displayName,
          acceptTerms: true,
          ...(code ? { code } : {}),
          ...(website ? { website } : {}),
          ...(channels.length > 0 ? { channels } : {}),
        },
      })
      await refreshReads('/affiliates')
      await navigate({ to: '/app/affiliate' })
    } catch (problem) {
      const refused = messagesAt(problem, FIELDS)
      form.setErrors(refused)
      if (Object.keys(refused).length === 0) setError(problem)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Page title={t('affiliate.apply')} description={t('affiliate.applyText')}>
      <Paper withBorder p={{ base: 'md', sm: 'lg' }} maw={640}>
        <form onSubmit={form.onSubmit(values => void send(values))}>
          <Stack>
            <TextInput
              label={t('affiliate.name')}
              description={t('affiliate.nameHint')}
              maxLength={100}
              required
              {...form.getInputProps('displayName')}
            />
            <TextInput
              label={t('affiliate.code')}
              description={t('affiliate.codeHint')}
              maxLength={30}
              autoComplete="off"
              {...form.getInputProps('code')}
            />
            <TextInput
              label={t('affiliate.website')}
              type="url"
              placeholder="https://"
              maxLength={500}
              {...form.getInputProps('website')}
            />
            <TagsInput
              label={t('affiliate.channels')}
              description={t('affiliate.channelsHint')}
              maxTags={20}
              {...form.getInputProps('channels')}
            />
            <Checkbox
              label={t('affiliate.terms')}
              required
              {...form.getInputProps('terms', { type: 'checkbox' })}
            />
            <ProblemNotice error={error} />
            <Group>
              <Button type="submit" loading={isBusy}>
                {t('affiliate.send')}
              </Button>
              <ButtonLink to="/app/affiliate" variant="default">
                {t('action.cancel')}
              </ButtonLink>
            </Group>
          </Stack>
        </form>
      </Paper>
    </Page>
  )
}
