import { Button, PasswordInput, Stack, TextInput } from '@mantine/core'
import { $api } from '../../api/client.ts'
import { useApiForm } from '../../parts/api-form.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

// A type: the form wants the fields to be texts, which an interface cannot promise.
export type NewAccount = {
  displayName: string
  email: string
  password: string
}

interface NewAccountFormProps {
  submit: string
  /** Creates the account; a refusal is shown in the form. */
  create(account: NewAccount): Promise<unknown>
}

/** Name, address and password of a new account. */
export function NewAccountForm({ submit, create }: NewAccountFormProps) {
  const api = useApiForm<NewAccount>({ displayName: '', email: '', password: '' }, create)
  return (
    <form {...api.form}>
      <Stack>
        <TextInput
          label={t('field.displayName')}
          autoComplete="name"
          maxLength={100}
          required
          withAsterisk={false}
          {...api.field('displayName')}
        />
        <TextInput
          label={t('field.email')}
          type="email"
          autoComplete="username"
          maxLength={254}
          required
          withAsterisk={false}
          {...api.field('email')}
        />
        <PasswordInput
          label={t('field.password')}
          description={t('field.passwordHint')}
          autoComplete="new-password"
          minLength={8}
          maxLength={256}
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
          {...api.field('password')}
        />
        <ProblemNotice error={api.error} />
        <Button type="submit" loading={api.isBusy}>
          {submit}
        </Button>
      </Stack>
    </form>
  )
}

interface SignUpFormProps {
  submit: string
  /** Gets the address, and what the API advises about the password. */
  onDone(email: string, warnings: readonly string[]): unknown
}

/** Creates an account, which is signed in then. */
export function SignUpForm({ submit, onDone }: SignUpFormProps) {
  const register = $api.useMutation('post', '/auth/register')
  return (
    <NewAccountForm
      submit={submit}
      create={async body => {
        const { warnings = [] } = await register.mutateAsync({ body })
        return onDone(body.email, warnings)
      }}
    />
  )
}
