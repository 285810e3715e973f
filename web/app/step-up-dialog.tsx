import { Button, Group, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useEffect, useRef, useState } from 'react'
import { $api } from '../api/client.ts'
import { onStepUp } from '../api/step-up.ts'
import { ProblemNotice } from '../parts/problem-notice.tsx'
import { t } from '../texts/text.ts'

/** Asks for the password or a code when an operation wants a fresh proof; the client then repeats the request. */
export function StepUpDialog() {
  const [opened, setOpened] = useState(false)
  const answer = useRef<(isProved: boolean) => void>(() => undefined)
  const { data: mfa } = $api.useQuery('get', '/mfa/status', {}, { enabled: opened })
  const prove = $api.useMutation('post', '/auth/step-up')
  const form = useForm({ initialValues: { password: '', totpCode: '' } })
  useEffect(
    () =>
      onStepUp(() => {
        setOpened(true)
        return new Promise(resolve => {
          answer.current = resolve
        })
      }),
    [],
  )
  const end = (isProved: boolean) => {
    setOpened(false)
    form.reset()
    prove.reset()
    answer.current(isProved)
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
