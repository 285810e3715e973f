import { Button, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import { useApiForm } from '../../../parts/api-form.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { enter } from '../enter.ts'
import { SecondFactor } from '../second-factor.tsx'
import { FirstProof, GoneMail, LinkPage, mailLink } from './link-page.tsx'

const route = getRouteApi('/plain/reset/$token')

/** Sets a new password by the link of a mail. */
export function Reset() {
  const { token } = route.useParams()
  const { next } = route.useSearch()
  const [asked, setAsked] = useState<{ mfaToken: string; warnings: readonly string[] } | null>(null)
  const link = mailLink('reset')
  if (asked)
    return (
      <LinkPage title={t('login.mfaTitle')}>
        <SecondFactor
          mfaToken={asked.mfaToken}
          onDone={() => enter(next, 'reset.done', asked.warnings)}
          onRestart={() => enter('/login')}
        />
      </LinkPage>
    )
  if (link.state !== 'good')
    return <GoneMail state={link.state} path="/auth/forgot-password" sent={t('mail.linkSent')} next={next} />
  return (
    <LinkPage title={t('reset.title')}>
      <Text>{t('reset.text')}</Text>
      <FirstProof isFirstProof={link.isFirstProof} />
      <ResetForm
        token={token}
        email={link.email}
        onMfa={(mfaToken, warnings) => setAsked({ mfaToken, warnings })}
        onDone={warnings => enter(next, 'reset.done', warnings)}
      />
    </LinkPage>
  )
}

interface ResetFormProps {
  token: string
  email: string
  onMfa(mfaToken: string, warnings: readonly string[]): void
  onDone(warnings: readonly string[]): void
}

function ResetForm({ token, email, onMfa, onDone }: ResetFormProps) {
  const reset = $api.useMutation('post', '/auth/reset-password')
  const { form, field, isBusy, error } = useApiForm({ newPassword: '' }, async ({ newPassword }) => {
    const result = await reset.mutateAsync({ body: { token, newPassword } })
    const { warnings = [] } = result
    if ('mfaToken' in result) onMfa(result.mfaToken, warnings)
    else onDone(warnings)
  })
  return (
    <form {...form}>
      <Stack>
        <TextInput label={t('field.account')} value={email} readOnly autoComplete="username" />
        <PasswordInput
          label={t('field.newPassword')}
          description={t('field.passwordHint')}
          autoComplete="new-password"
          minLength={8}
          maxLength={256}
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
          {...field('newPassword')}
        />
        <ProblemNotice error={error} />
        <Button type="submit" loading={isBusy}>
          {t('reset.submit')}
        </Button>
      </Stack>
    </form>
  )
}
