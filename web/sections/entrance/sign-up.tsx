import { Button, Paper, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { $api } from '../../api/client.ts'
import { TextLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { enter } from './enter.ts'

export function SignUp() {
  const register = $api.useMutation('post', '/auth/register')
  const form = useForm({ initialValues: { displayName: '', email: '', password: '' } })
  return (
    <Page title={t('signUp.title')} description={t('signUp.text')}>
      <Paper withBorder p="lg" maw={420}>
        <form onSubmit={form.onSubmit(body => register.mutate({ body }, { onSuccess: () => enter() }))}>
          <Stack>
            <TextInput
              label={t('field.displayName')}
              autoComplete="name"
              required
              {...form.getInputProps('displayName')}
            />
            <TextInput
              label={t('field.email')}
              type="email"
              autoComplete="username"
              required
              {...form.getInputProps('email')}
            />
            <PasswordInput
              label={t('field.password')}
              autoComplete="new-password"
              required
              {...form.getInputProps('password')}
            />
            <ProblemNotice error={register.error} />
            <Button type="submit" loading={register.isPending}>
              {t('signUp.submit')}
            </Button>
          </Stack>
        </form>
      </Paper>
      <Text>
        {t('signUp.existing')}{' '}
        <TextLink to="/login" search={{}}>
          {t('shell.signIn')}
        </TextLink>
      </Text>
    </Page>
  )
}
