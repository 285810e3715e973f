import { Button, Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../api/client.ts'
import { TextLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { enter } from './enter.ts'

const route = getRouteApi('/public/login')

export function Login() {
  const { next } = route.useSearch()
  const [mfaToken, setMfaToken] = useState<string | null>(null)
  return (
    <Page title={t('login.title')}>
      <Paper withBorder p="lg" maw={420}>
        {mfaToken ? (
          <SecondFactor mfaToken={mfaToken} onDone={() => enter(next)} />
        ) : (
          <Credentials onMfa={setMfaToken} onDone={() => enter(next)} />
        )}
      </Paper>
      <Text>
        {t('login.new')} <TextLink to="/signup">{t('shell.signUp')}</TextLink>
      </Text>
    </Page>
  )
}

function Credentials({ onMfa, onDone }: { onMfa(token: string): void; onDone(): void }) {
  const login = $api.useMutation('post', '/auth/login')
  const form = useForm({ initialValues: { email: '', password: '' } })
  const submit = form.onSubmit(body =>
    login.mutate(
      { body },
      { onSuccess: result => ('mfaToken' in result ? onMfa(result.mfaToken) : onDone()) },
    ),
  )
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t('field.email')}
          type="email"
          autoComplete="username"
          required
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label={t('field.password')}
          autoComplete="current-password"
          required
          {...form.getInputProps('password')}
        />
        <ProblemNotice error={login.error} />
        <Button type="submit" loading={login.isPending}>
          {t('login.submit')}
        </Button>
      </Stack>
    </form>
  )
}

function SecondFactor({ mfaToken, onDone }: { mfaToken: string; onDone(): void }) {
  const login = $api.useMutation('post', '/auth/login/mfa')
  const form = useForm({ initialValues: { totpCode: '' } })
  return (
    <form
      onSubmit={form.onSubmit(({ totpCode }) =>
        login.mutate({ body: { mfaToken, totpCode } }, { onSuccess: onDone }),
      )}
    >
      <Stack>
        <Text size="sm">{t('login.mfa')}</Text>
        <TextInput
          label={t('field.totpCode')}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
          {...form.getInputProps('totpCode')}
        />
        <ProblemNotice error={login.error} />
        <Button type="submit" loading={login.isPending}>
          {t('login.submit')}
        </Button>
      </Stack>
    </form>
  )
}
