import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { $api } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import { pageData, type MailLink } from '../../../app/page-data.ts'
import { useApiForm } from '../../../parts/api-form.ts'
import { ButtonLink } from '../../../parts/link.tsx'
import { Page } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { mailNext, MailSent } from '../mail-sent.tsx'

/** What the server says of the link of a mail. A visit does not use the link up; a press on the page does. */
export function mailLink(kind: 'reset' | 'verify' | 'login'): MailLink {
  const { link } = pageData
  return link?.kind === kind ? link : { state: 'dead' }
}

export function LinkPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page title={title} isNarrow>
      <Paper withBorder p="lg">
        <Stack>{children}</Stack>
      </Paper>
    </Page>
  )
}

/** A link that leads nowhere any more: why, and what to do. */
export function GoneLink({ why, children }: { why: string; children?: ReactNode }) {
  const me = useMe()
  return (
    <LinkPage title={t('link.gone')}>
      <Text>{why}</Text>
      {children}
      <Group>
        {me ? (
          <ButtonLink to="/app">{t('link.toOverview')}</ButtonLink>
        ) : (
          <ButtonLink to="/login" search={{}} variant={children ? 'default' : 'filled'}>
            {t('shell.signIn')}
          </ButtonLink>
        )}
      </Group>
    </LinkPage>
  )
}

type MailPath = '/auth/forgot-password' | '/auth/magic-link/request' | '/auth/resend-verification'

interface GoneMailProps {
  state: 'used' | 'dead'
  /** The operation that mails another link. */
  path: MailPath
  sent: string
  next?: string
}

/** A link of a mail that leads nowhere offers another one at once. */
export function GoneMail({ state, path, sent, next }: GoneMailProps) {
  const me = useMe()
  const [email, setEmail] = useState<string | null>(null)
  // Who is signed in and has used the confirmation needs no other one.
  const needsNone = state === 'used' && path === '/auth/resend-verification' && me
  return (
    <GoneLink why={t(state === 'used' ? 'link.used' : 'link.expired')}>
      {email !== null && <MailSent text={sent} email={email} />}
      {email === null && !needsNone && <AnotherLink path={path} next={next} onSent={setEmail} />}
    </GoneLink>
  )
}

interface AnotherLinkProps {
  path: MailPath
  next: string | undefined
  onSent(email: string): void
}

function AnotherLink({ path, next, onSent }: AnotherLinkProps) {
  const mail = $api.useMutation('post', path)
  const { form, field, isBusy, error } = useApiForm({ email: '' }, async ({ email }) => {
    await mail.mutateAsync({ body: { email, ...mailNext(next) } })
    onSent(email)
  })
  return (
    <form {...form}>
      <Stack>
        <TextInput
          label={t('field.email')}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...field('email')}
        />
        <ProblemNotice error={error} />
        <Button type="submit" loading={isBusy}>
          {t('link.another')}
        </Button>
      </Stack>
    </form>
  )
}

/** The holder of an address that was never confirmed does not share the account with the person who created it. */
export function FirstProof({ isFirstProof }: { isFirstProof: boolean }) {
  const me = useMe()
  if (!isFirstProof || me !== null) return null
  return <Text size="sm">{t('link.firstProof')}</Text>
}
