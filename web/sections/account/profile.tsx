import {
  Button,
  NativeSelect,
  SegmentedControl,
  Stack,
  Text,
  TextInput,
  useMantineColorScheme,
} from '@mantine/core'
import { useId } from 'react'
import { $api, refreshReads } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import type { Account, OwnAccount } from '../../api/schema.d.ts'
import { useApiForm } from '../../parts/api-form.ts'
import { Copy } from '../../parts/copy.tsx'
import { date, timeZone } from '../../parts/format.ts'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { Status } from '../../parts/status.tsx'
import { chooseLanguage, language, LANGUAGES, t, type Language } from '../../texts/text.ts'
import { DeleteAccount } from './delete-account.tsx'
import { sayDone } from './done.ts'
import { Setting } from './setting.tsx'

/** Name, address, appearance, and the end of the account. */
export function Profile() {
  const me = useMe()
  return (
    <Page title={t('account.title')} description={t('account.text')}>
      {me ? (
        <>
          <Name me={me} />
          <AccountId me={me} />
          <Email me={me} />
          <Appearance />
          <DeleteAccount />
        </>
      ) : (
        <Loading />
      )}
    </Page>
  )
}

function Name({ me }: { me: Account }) {
  const update = $api.useMutation('patch', '/users/me')
  const { form, field, isBusy, error } = useApiForm({ displayName: me.displayName }, async body => {
    await update.mutateAsync({ body })
    await refreshReads('/users/me')
    sayDone('account.saved')
  })
  return (
    <Setting title={t('account.name')}>
      <Text size="sm" component="div">
        {t('account.since')} {date(me.createdAt)} · <Status value={me.role} />
      </Text>
      <form {...form} className="settings">
        <Stack align="flex-start">
          <TextInput
            label={t('field.displayName')}
            autoComplete="name"
            maxLength={100}
            required
            withAsterisk={false}
            w="100%"
            {...field('displayName')}
          />
          <ProblemNotice error={error} />
          <Button type="submit" loading={isBusy}>
            {t('account.save')}
          </Button>
        </Stack>
      </form>
    </Setting>
  )
}

/** A person has no username: who invites them to an organization needs this id. */
function AccountId({ me: { id } }: { me: Account }) {
  return (
    <Setting title={t('account.id')} text={t('account.idText')}>
      <Copy value={id} label={t('account.id')} />
    </Setting>
  )
}

function Email({ me }: { me: OwnAccount }) {
  const update = $api.useMutation('patch', '/users/me', { onSuccess: () => refreshReads('/users/me') })
  const resend = $api.useMutation('post', '/auth/resend-verification')
  const { form, field, isBusy, error } = useApiForm({ email: '' }, body => update.mutateAsync({ body }))
  return (
    <Setting title={t('account.email')} text={t('account.emailText', { email: me.email })}>
      {me.pendingEmail !== undefined && <PendingEmail me={me} email={me.pendingEmail} />}
      <form {...form} className="settings">
        <Stack align="flex-start">
          <TextInput
            label={t('account.newEmail')}
            type="email"
            autoComplete="email"
            maxLength={254}
            required
            withAsterisk={false}
            w="100%"
            {...field('email')}
          />
          <ProblemNotice error={error} />
          <Button type="submit" variant="default" loading={isBusy}>
            {t('account.changeEmail')}
          </Button>
        </Stack>
      </form>
      <ProblemNotice error={resend.error} />
      {resend.isSuccess ? (
        <Text size="sm" role="status">
          {t('mail.verifySent')}
        </Text>
      ) : (
        <Button
          variant="subtle"
          size="compact-sm"
          loading={resend.isPending}
          onClick={() => resend.mutate({ body: {} })}
        >
          {t('account.resend')}
        </Button>
      )}
    </Setting>
  )
}

function PendingEmail({ me, email }: { me: OwnAccount; email: string }) {
  // The present address takes a requested change back.
  const withdraw = $api.useMutation('patch', '/users/me', { onSuccess: () => refreshReads('/users/me') })
  return (
    <>
      <Text role="status">{t('account.pendingEmail', { email })}</Text>
      <ProblemNotice error={withdraw.error} />
      <Button
        variant="default"
        size="xs"
        loading={withdraw.isPending}
        onClick={() => withdraw.mutate({ body: { email: me.email } })}
      >
        {t('account.withdrawEmail')}
      </Button>
    </>
  )
}

const SCHEMES = ['auto', 'light', 'dark'] as const

function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const label = useId()
  return (
    <Setting title={t('account.appearance')}>
      <NativeSelect
        label={t('shell.language')}
        value={language}
        onChange={event => chooseLanguage(event.currentTarget.value as Language)}
        data={Object.entries(LANGUAGES).map(([value, name]) => ({ value, label: name }))}
      />
      <Text size="sm" fw={600} id={label}>
        {t('account.colors')}
      </Text>
      <SegmentedControl
        aria-labelledby={label}
        value={colorScheme}
        onChange={value => setColorScheme(SCHEMES.find(scheme => scheme === value) ?? 'auto')}
        data={SCHEMES.map(value => ({ value, label: t(`account.colors.${value}`) }))}
      />
      <Text size="sm">{t('account.timeZone', { zone: timeZone })}</Text>
    </Setting>
  )
}
