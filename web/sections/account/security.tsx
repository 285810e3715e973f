import { Button, Checkbox, PasswordInput, Stack } from '@mantine/core'
import { useState } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import { useApiForm } from '../../parts/api-form.ts'
import { Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'
import { sayDone } from './done.ts'
import { Setting } from './setting.tsx'
import { SecondFactorSettings } from './second-factor.tsx'
import { Sessions } from './sessions.tsx'

/** Password, second factor and sessions. */
export function Security() {
  return (
    <Page title={t('security.title')} description={t('security.text')}>
      <Password />
      <SecondFactorSettings />
      <Sessions />
    </Page>
  )
}

function Password() {
  const change = $api.useMutation('post', '/auth/change-password')
  const [revokeApiKeys, setRevoke] = useState(false)
  const api = useApiForm({ currentPassword: '', newPassword: '' }, async body => {
    const { warnings } = await change.mutateAsync({ body: { ...body, revokeApiKeys } })
    api.reset()
    await refreshReads('/auth/sessions')
    sayDone('security.passwordSaved', warnings)
  })
  const shared = {
    required: true,
    withAsterisk: false,
    w: '100%',
    visibilityToggleButtonProps: { 'aria-label': t('field.showPassword') },
  }
  return (
    <Setting title={t('security.password')} text={t('security.passwordText')}>
      <form {...api.form} className="settings">
        <Stack align="flex-start">
          <PasswordInput
            {...shared}
            label={t('security.currentPassword')}
            autoComplete="current-password"
            {...api.field('currentPassword')}
          />
          <PasswordInput
            {...shared}
            label={t('field.newPassword')}
            description={t('field.passwordHint')}
            autoComplete="new-password"
            minLength={8}
            maxLength={256}
            {...api.field('newPassword')}
          />
          <Checkbox
            label={t('security.revokeKeys')}
            checked={revokeApiKeys}
            onChange={event => setRevoke(event.currentTarget.checked)}
          />
          <ProblemNotice error={api.error} />
          <Button type="submit" loading={api.isBusy}>
            {t('security.changePassword')}
          </Button>
        </Stack>
      </form>
    </Setting>
  )
}
