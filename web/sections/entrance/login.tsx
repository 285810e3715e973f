import { Alert, Anchor, Group, Paper, Stack, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { maySignedIn } from '../../api/session.ts'
import type { ApiForm } from '../../parts/api-form.ts'
import { TextLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t, textFor } from '../../texts/text.ts'
import { enter } from './enter.ts'
import { mailNext, MailSent } from './mail-sent.tsx'
import { takeProviderStart } from './provider-start.ts'
import { ProviderButton } from './provider.tsx'
import { SecondFactor } from './second-factor.tsx'
import { SignInForm, type Credentials } from './sign-in-form.tsx'

const route = getRouteApi('/plain/login')

/** What the identity provider's sign-in has left to do, if this tab has started it. */
interface ProviderReturn {
  mfaToken: string
  next: string
}

/** Reads the answer of the identity provider once. A link of somebody else does nothing: this tab must have started it. */
function takeProviderReturn(): ProviderReturn | null {
  const mfaToken = new URLSearchParams(location.hash.slice(1)).get('mfaToken')
  if (mfaToken === null) return null
  // The token leaves the address bar at once.
  history.replaceState(history.state, '', location.pathname + location.search)
  const next = takeProviderStart()
  return next === null ? null : { mfaToken, next }
}
// Read before the first drawing, which may happen twice.
const returned = takeProviderReturn()

export function Login() {
  const { next, error } = route.useSearch()
  const [asked, setAsked] = useState(returned)
  const me = useMe()
  useEffect(() => {
    // Somebody who is signed in has nothing to do here.
    if (me && maySignedIn()) enter(next)
  }, [me, next])
  if (asked)
    return (
      <Page title={t('login.mfaTitle')} isNarrow>
        <Paper withBorder p="lg">
          <SecondFactor
            mfaToken={asked.mfaToken}
            onDone={() => enter(asked.next)}
            onRestart={() => setAsked(null)}
          />
        </Paper>
      </Page>
    )
  return (
    <Page title={t('login.title')} isNarrow>
      {error !== undefined && (
        <Alert color="red" role="alert">
          {textFor(`login.error.${error}`) ?? t('login.error.SIGN_IN_FAILED')}
        </Alert>
      )}
      <Paper withBorder p="lg">
        <Ways next={next} />
      </Paper>
      <Text>
        {t('login.new')}{' '}
        <TextLink to="/signup" search={{ next }}>
          {t('shell.signUp')}
        </TextLink>
      </Text>
    </Page>
  )
}

function Ways({ next }: { next: string | undefined }) {
  const [mailedTo, setMailedTo] = useState<string | null>(null)
  if (mailedTo !== null) return <MailSent text={t('mail.linkSent')} email={mailedTo} />
  return (
    <Stack>
      <SignInForm
        submit={t('login.submit')}
        onDone={() => enter(next)}
        more={form => <MailWays form={form} next={next} onSent={setMailedTo} />}
      />
      <ProviderButton next={next} />
    </Stack>
  )
}

interface MailWaysProps {
  form: ApiForm<Credentials>
  next: string | undefined
  onSent(email: string): void
}

/** A link by mail in place of the password, for the address in the form. */
function MailWays({ form, next, onSent }: MailWaysProps) {
  const magic = $api.useMutation('post', '/auth/magic-link/request')
  const reset = $api.useMutation('post', '/auth/forgot-password')
  const send = (way: typeof magic | typeof reset) => {
    const { email } = form.values
    // The password is not needed: the address alone is checked.
    const input = form.form.ref.current?.elements.namedItem('email')
    if (input instanceof HTMLInputElement && input.reportValidity())
      way.mutate({ body: { email, ...mailNext(next) } }, { onSuccess: () => onSent(email) })
  }
  return (
    <>
      <ProblemNotice error={magic.error ?? reset.error} />
      <Group justify="space-between">
        <Anchor component="button" type="button" size="sm" onClick={() => send(magic)}>
          {t('login.magic')}
        </Anchor>
        <Anchor component="button" type="button" size="sm" onClick={() => send(reset)}>
          {t('login.reset')}
        </Anchor>
      </Group>
    </>
  )
}
