import { Alert, Anchor, Button, Group, Paper, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { maySignedIn } from '../../api/session.ts'
import { TextLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { enter } from './enter.ts'
import { MailboxButton } from './mail-sent.tsx'
import { ProviderButton } from './provider.tsx'
import { SignUpForm } from './sign-up-form.tsx'

const route = getRouteApi('/plain/signup')

interface Created {
  email: string
  warnings: readonly string[]
}

export function SignUp() {
  const { next } = route.useSearch()
  const [created, setCreated] = useState<Created | null>(null)
  const me = useMe()
  useEffect(() => {
    // Somebody who was signed in before has nothing to do here.
    if (me && maySignedIn() && !created) enter(next)
  }, [me, created, next])
  if (created) return <ConfirmHint {...created} next={next} />
  return (
    <Page title={t('signUp.title')} description={t('signUp.text')} isNarrow>
      <Paper withBorder p="lg">
        <Stack>
          <SignUpForm
            submit={t('signUp.submit')}
            onDone={(email, warnings) => setCreated({ email, warnings })}
          />
          <ProviderButton next={next} />
        </Stack>
      </Paper>
      <Text>
        {t('signUp.existing')}{' '}
        <TextLink to="/login" search={{ next }}>
          {t('shell.signIn')}
        </TextLink>
      </Text>
    </Page>
  )
}

/** After the sign-up: the account works, and its address waits for the confirmation. */
function ConfirmHint({ email, warnings, next }: Created & { next: string | undefined }) {
  const resend = $api.useMutation('post', '/auth/resend-verification')
  return (
    <Page title={t('signUp.done')} isNarrow>
      <Paper withBorder p="lg">
        <Stack>
          <Text role="status">{t('signUp.confirm', { email })}</Text>
          {warnings.length > 0 && (
            <Alert color="yellow" title={t('signUp.weak')}>
              {warnings.join(' ')}
            </Alert>
          )}
          <ProblemNotice error={resend.error} />
          {resend.isSuccess && <Text role="status">{t('mail.sentAgain')}</Text>}
          <Group>
            <Button onClick={() => enter(next)} autoFocus>
              {t('signUp.continue')}
            </Button>
            <MailboxButton email={email} />
          </Group>
          <Anchor component="button" type="button" size="sm" onClick={() => resend.mutate({ body: {} })}>
            {t('signUp.resend')}
          </Anchor>
        </Stack>
      </Paper>
    </Page>
  )
}
