import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { $api } from '../../api/client.ts'
import { useApiForm, type ApiForm } from '../../parts/api-form.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { SecondFactor } from './second-factor.tsx'

// A type: the form wants the fields to be texts, which an interface cannot promise.
export type Credentials = {
  email: string
  password: string
}

interface SignInFormProps {
  onDone(): void
  /** Text of the button. */
  submit: string
  /** Other ways to sign in, which may use the address in the form. */
  more?(form: ApiForm<Credentials>): ReactNode
}

/** Signs in with the password, and with the second factor where the account has one. */
export function SignInForm({ onDone, submit, more }: SignInFormProps) {
  const [mfaToken, setMfaToken] = useState<string | null>(null)
  return mfaToken === null ? (
    <PasswordStep onMfa={setMfaToken} onDone={onDone} submit={submit} more={more} />
  ) : (
    <SecondFactor mfaToken={mfaToken} onDone={onDone} onRestart={() => setMfaToken(null)} />
  )
}

function PasswordStep({ onMfa, onDone, submit, more }: SignInFormProps & { onMfa(token: string): void }) {
  const login = $api.useMutation('post', '/auth/login')
  const api = useApiForm<Credentials>({ email: '', password: '' }, async body => {
    const result = await login.mutateAsync({ body })
    if ('mfaToken' in result) onMfa(result.mfaToken)
    else onDone()
  })
  return (
    <form {...api.form}>
      <Stack>
        <TextInput
          label={t('field.email')}
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          {...api.field('email')}
        />
        <PasswordInput
          label={t('field.password')}
          autoComplete="current-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
          {...api.field('password')}
        />
        <ProblemNotice error={api.error} />
        <Button type="submit" loading={api.isBusy}>
          {submit}
        </Button>
        {more?.(api)}
      </Stack>
    </form>
  )
}
