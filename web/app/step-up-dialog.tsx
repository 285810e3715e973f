import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { $api } from '../api/client.ts'
import { ProblemNotice } from '../parts/problem-notice.tsx'
import { t } from '../texts/text.ts'

interface StepUpDialogProps {
  opened: boolean
  /** False if the person closed the dialog. */
  onEnd(isProved: boolean): void
}

/** Asks for the password or a code when an operation wants a fresh proof; the client then repeats the request. */
export default function StepUpDialog({ opened, onEnd }: StepUpDialogProps) {
  const { data: mfa } = $api.useQuery('get', '/mfa/status', {}, { enabled: opened })
  const prove = $api.useMutation('post', '/auth/step-up')
  const form = useForm({ initialValues: { password: '', totpCode: '' } })
  const end = (isProved: boolean) => {
    form.reset()
    prove.reset()
    onEnd(isProved)
  }
  const submit = form.onSubmit(({ password, totpCode }) =>
    prove.mutate({ body: mfa?.enabled ? { totpCode } : { password } }, { onSuccess: () => end(true) }),
  )
  return (
    <Modal
      opened={opened}
      onClose={() => end(false)}
      title={t('stepUp.title')}
      centered
      closeButtonProps={{ 'aria-label': t('action.close') }}
    >
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">{t('stepUp.text')}</Text>
          {mfa?.enabled ? (
            <TextInput
              label={t('field.totpCode')}
              autoComplete="one-time-code"
              inputMode="numeric"
              required
              data-autofocus
              {...form.getInputProps('totpCode')}
            />
          ) : (
            <PasswordInput
              visibilityToggleButtonProps={{ 'aria-label': t('field.showPassword') }}
              label={t('field.password')}
              autoComplete="current-password"
              required
              data-autofocus
              {...form.getInputProps('password')}
            />
          )}
          <ProblemNotice error={prove.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={() => end(false)}>
              {t('action.cancel')}
            </Button>
            <Button type="submit" loading={prove.isPending}>
              {t('stepUp.confirm')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
