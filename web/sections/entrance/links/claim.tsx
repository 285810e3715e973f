import { Anchor, Blockquote, Button, Stack, Tabs, Text } from '@mantine/core'
import { getRouteApi } from '@tanstack/react-router'
import { $api, queryClient } from '../../../api/client.ts'
import { useMe } from '../../../api/me.ts'
import { pageData } from '../../../app/page-data.ts'
import { signOut } from '../../../app/sign-out.ts'
import { Loading } from '../../../parts/page.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { nameOf, t } from '../../../texts/text.ts'
import { enter } from '../enter.ts'
import { ProviderButton } from '../provider.tsx'
import { SignInForm } from '../sign-in-form.tsx'
import { SignUpForm } from '../sign-up-form.tsx'
import { GoneLink, LinkPage } from './link-page.tsx'

const route = getRouteApi('/plain/claim/$token')
const MOST_TEXT = 280

/** Makes somebody the owner of an agent that a program has announced. */
export function Claim() {
  const { link } = pageData
  if (link?.kind !== 'claim' || link.state === 'dead') return <GoneLink why={t('claim.gone')} />
  const { name, slug, description, trustTier } = link.agent
  if (link.state === 'claimed') return <GoneLink why={t('claim.taken', { name })} />
  return (
    <LinkPage title={t('claim.title', { name })}>
      <Blockquote p="md" mt={0}>
        {description && (
          <Text>{description.length > MOST_TEXT ? `${description.slice(0, MOST_TEXT)}…` : description}</Text>
        )}
        <Text size="sm" c="dimmed">
          {slug} · {nameOf(trustTier)}
        </Text>
      </Blockquote>
      <Text size="sm">{t('claim.text')}</Text>
      <Owner name={name} />
    </LinkPage>
  )
}

function Owner({ name }: { name: string }) {
  const { token } = route.useParams()
  const me = useMe()
  const claim = $api.useMutation('post', '/agents/claim/{token}')
  const run = () =>
    claim.mutate(
      { params: { path: { token } } },
      { onSuccess: () => enter('/app', 'claim.done'), onError: () => void queryClient.invalidateQueries() },
    )
  if (me === undefined) return <Loading rows={2} />
  if (me === null) return <Visitor onSignedIn={run} />
  return (
    <Stack>
      <Text>{t('claim.as', { name: me.displayName, email: me.email })}</Text>
      <ProblemNotice error={claim.error} />
      <Button onClick={run} loading={claim.isPending}>
        {t('claim.title', { name })}
      </Button>
      <Anchor component="button" type="button" size="sm" onClick={() => void signOut(location.pathname)}>
        {t('claim.other')}
      </Anchor>
    </Stack>
  )
}

/** Opens an account or signs in, and claims at once: a claim that fails then is repeated alone. */
function Visitor({ onSignedIn }: { onSignedIn(): void }) {
  return (
    <Stack>
      <Tabs defaultValue="new" keepMounted={false}>
        <Tabs.List grow mb="md">
          <Tabs.Tab value="new">{t('claim.new')}</Tabs.Tab>
          <Tabs.Tab value="known">{t('claim.known')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="new">
          <SignUpForm submit={t('claim.signUp')} onDone={onSignedIn} />
        </Tabs.Panel>
        <Tabs.Panel value="known">
          <SignInForm submit={t('claim.signIn')} onDone={onSignedIn} />
        </Tabs.Panel>
      </Tabs>
      <ProviderButton next={location.pathname} />
    </Stack>
  )
}
