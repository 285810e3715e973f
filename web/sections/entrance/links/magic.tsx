import { Button, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t } from '../../../texts/text.ts'
import { enter } from '../enter.ts'
import { SecondFactor } from '../second-factor.tsx'
import { FirstProof, GoneMail, LinkPage, mailLink } from './link-page.tsx'

const route = getRouteApi('/plain/login/$token')

/** Signs in by the link of a mail. */
export function MagicLink() {
  const { token } = route.useParams()
  const { next } = route.useSearch()
  const [mfaToken, setMfaToken] = useState<string | null>(null)
  const consume = $api.useMutation('post', '/auth/magic-link/consume')
  // Renews a session that this browser may have: with it, credentials of its account stay valid.
  const me = useMe()
  const link = mailLink('login')
  if (mfaToken !== null)
    return (
      <LinkPage title={t('login.mfaTitle')}>
        <SecondFactor mfaToken={mfaToken} onDone={() => enter(next)} onRestart={() => enter('/login')} />
      </LinkPage>
    )
  if (link.state !== 'good')
    return (
      <GoneMail state={link.state} path="/auth/magic-link/request" sent={t('mail.linkSent')} next={next} />
    )
  const signIn = () =>
    consume.mutate(
      { body: { token } },
      { onSuccess: result => ('mfaToken' in result ? setMfaToken(result.mfaToken) : enter(next)) },
    )
  return (
    <LinkPage title={t('login.title')}>
      <Text>{t('magic.text', { email: link.email })}</Text>
      <FirstProof isFirstProof={link.isFirstProof} />
      <ProblemNotice error={consume.error} />
      <Button onClick={signIn} loading={consume.isPending} disabled={me === undefined}>
        {t('login.submit')}
      </Button>
    </LinkPage>
  )
}
