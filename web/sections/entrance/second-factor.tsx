import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { $api } from '../../api/client.ts'
import { useApiForm } from '../../parts/api-form.ts'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

interface SecondFactorProps {
  mfaToken: string
  onDone(): void
  onRestart(): void
}

/** The second step of every sign-in: a code of the authenticator app, or a backup code. */
export function SecondFactor({ mfaToken, onDone, onRestart }: SecondFactorProps) {
  const [isBackup, setBackup] = useState(false)
  const login = $api.useMutation('post', '/auth/login/mfa')
  const { form, field, reset, focus, isBusy, error } = useApiForm({ totpCode: '' }, async ({ totpCode }) => {
    await login.mutateAsync({
      body: { mfaToken, totpCode: totpCode.trim(), ...(isBackup ? { useBackupCode: true } : {}) },
    })
    onDone()
  })
  const change = () => {
    setBackup(!isBackup)
    reset()
    focus('totpCode')
  }
  return (
    <form {...form}>
      <Stack>
        <Text size="sm">{t(isBackup ? 'login.backup' : 'login.mfa')}</Text>
        <TextInput
          label={t(isBackup ? 'field.backupCode' : 'field.totpCode')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          inputMode={isBackup ? 'text' : 'numeric'}
          maxLength={24}
          required
          withAsterisk={false}
          autoFocus
          {...field('totpCode')}
        />
        <ProblemNotice error={error} />
        <Button type="submit" loading={isBusy}>
          {t('login.continue')}
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {t(isBackup ? 'login.useApp' : 'login.useBackup')}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={onRestart}>
            {t('login.restart')}
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}
