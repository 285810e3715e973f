import { Button, Image, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import { useApiForm } from '../../parts/api-form.ts'
import { Copy } from '../../parts/copy.tsx'
import { Loading } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { counted, t } from '../../texts/text.ts'
import { BackupCodes } from './backup-codes.tsx'
import { sayDone } from './done.ts'
import { Setting } from './setting.tsx'

/** Turns the second factor on and off. */
export function SecondFactorSettings() {
  const { data, error, refetch } = $api.useQuery('get', '/mfa/status')
  const [backupCodes, setBackupCodes] = useState<readonly string[] | null>(null)
  return (
    <Setting title={t('mfa.title')} text={t('mfa.text')}>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={1} />}
      {backupCodes && <BackupCodes codes={backupCodes} onDone={() => setBackupCodes(null)} />}
      {data && !backupCodes && (data.enabled ? <On {...data} /> : <Off onEnabled={setBackupCodes} />)}
    </Setting>
  )
}

function Off({ onEnabled }: { onEnabled(codes: readonly string[]): void }) {
  const setUp = $api.useMutation('post', '/mfa/setup')
  const enable = $api.useMutation('post', '/mfa/enable')
  const { form, field, isBusy, error } = useApiForm({ token: '' }, async ({ token }) => {
    const { backupCodes } = await enable.mutateAsync({ body: { token: token.trim() } })
    onEnabled(backupCodes)
    await refreshReads('/mfa/status')
  })
  if (!setUp.data)
    return (
      <>
        <ProblemNotice error={setUp.error} />
        <Button loading={setUp.isPending} onClick={() => setUp.mutate({})}>
          {t('mfa.setUp')}
        </Button>
      </>
    )
  const { qrCodeDataUrl, manualEntryKey } = setUp.data
  return (
    <form {...form} className="settings">
      <Stack align="flex-start">
        <Text size="sm">{t('mfa.scan')}</Text>
        <Image src={qrCodeDataUrl} alt={t('mfa.qr')} w={200} h={200} />
        <Text size="sm">{t('mfa.manual')}</Text>
        <Copy value={manualEntryKey} label={t('mfa.key')} />
        <TextInput
          label={t('field.totpCode')}
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={6}
          required
          withAsterisk={false}
          {...field('token')}
        />
        <ProblemNotice error={error} />
        <Button type="submit" loading={isBusy}>
          {t('mfa.enable')}
        </Button>
      </Stack>
    </form>
  )
}

function On({ backupCodesRemaining }: { backupCodesRemaining: number }) {
  const [isAsking, setAsking] = useState(false)
  const disable = $api.useMutation('post', '/mfa/disable')
  const { form, field, isBusy, error } = useApiForm({ token: '' }, async ({ token }) => {
    await disable.mutateAsync({ body: { token: token.trim() } })
    await refreshReads('/mfa/status')
    sayDone('mfa.disabled')
  })
  return (
    <>
      <Text>{t('mfa.on')}</Text>
      <Text size="sm">{counted('mfa.codesLeft', backupCodesRemaining)}</Text>
      {isAsking ? (
        <form {...form} className="settings">
          <Stack align="flex-start">
            <TextInput
              label={t('mfa.codeOrBackup')}
              autoComplete="one-time-code"
              required
              withAsterisk={false}
              autoFocus
              {...field('token')}
            />
            <ProblemNotice error={error} />
            <Button type="submit" color="red" loading={isBusy}>
              {t('mfa.disable')}
            </Button>
          </Stack>
        </form>
      ) : (
        <Button variant="default" onClick={() => setAsking(true)}>
          {t('mfa.disable')}
        </Button>
      )}
    </>
  )
}
