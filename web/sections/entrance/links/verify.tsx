import { Button, Group, PasswordInput, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import { site, type MailLink } from '../../../app/page-data.ts'
import { useApiForm } from '../../../parts/api-form.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { enter } from '../enter.ts'
import { GoneMail, LinkPage, mailLink } from './link-page.tsx'

const route = getRouteApi('/plain/verify/$token')

/** Confirms an address by the link of a mail, or says that the account is not theirs. */
export function Verify() {
  const { token } = route.useParams()
  const [outcome, setOutcome] = useState<'confirmed' | 'refused' | null>(null)
  const link = mailLink('verify')
  if (link.state !== 'good')
    return <GoneMail state={link.state} path="/auth/resend-verification" sent={t('mail.verifySent')} />
  const { email, isChange } = link
  if (outcome === 'refused')
    return (
      <LinkPage title={t('verify.title')}>
        <Text role="status">{t(isChange ? 'verify.changeRefused' : 'verify.refused')}</Text>
      </LinkPage>
    )
  if (outcome === 'confirmed')
    return (
      <LinkPage title={t('verify.title')}>
        <Text role="status">{t('verify.done')}</Text>
        <Group>
          <ButtonLink to="/login" search={{}}>
            {t('shell.signIn')}
          </ButtonLink>
        </Group>
      </LinkPage>
    )
  return (
    <LinkPage title={t('verify.title')}>
      <Text>
        {t(isChange ? 'verify.changeAsked' : 'verify.asked', { email, host: new URL(site.publicUrl).host })}
      </Text>
      <VerifyForm
        token={token}
        link={link}
        onConfirmed={() => setOutcome('confirmed')}
        onRefused={() => setOutcome('refused')}
      />
    </LinkPage>
  )
}

interface VerifyFormProps {
  token: string
  link: Extract<MailLink, { state: 'good' }>
  /** Confirmed, and nobody is signed in. */
  onConfirmed(): void
  onRefused(): void
}

function VerifyForm({ token, link: { isFirstProof, isChange }, onConfirmed, onRefused }: VerifyFormProps) {
  const me = useMe()
  const confirm = $api.useMutation('post', '/auth/verify-email')
  const refuse = $api.useMutation('post', '/auth/verify-email')
  const { form, field, isBusy, error } = useApiForm({ password: '' }, async ({ password }) => {
    const result = await confirm.mutateAsync({ body: { token, ...(password ? { password } : {}) } })
    if ('requiresSignIn' in result) onConfirmed()
    else enter('/app', 'verify.done')
  })
  return (
    <form {...form}>
      <Stack>
        {me === null && (isFirstProof || isChange) && (
          <PasswordInput
            label={t('verify.password')}
            description={t('verify.passwordHint')}
            autoComplete="current-password"
            visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
            {...field('password')}
          />
        )}
        <ProblemNotice error={error ?? refuse.error} />
        <Button type="submit" loading={isBusy} disabled={me === undefined}>
          {t('verify.yes')}
        </Button>
        {me === null && (
          <Button
            variant="default"
            loading={refuse.isPending}
            onClick={() => refuse.mutate({ body: { token, createdByMe: false } }, { onSuccess: onRefused })}
          >
            {t(isChange ? 'verify.noChange' : 'verify.no')}
          </Button>
        )}
      </Stack>
    </form>
  )
}
