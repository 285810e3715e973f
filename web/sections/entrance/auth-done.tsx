import { Group, Paper, Stack, Text } from '@mantine/core'
import { ButtonLink } from '../../parts/link.tsx'
import { Page } from '../../parts/page.tsx'
import { t, textFor } from '../../texts/text.ts'

/** Reads why there is no session, and removes all from the address bar: a fragment may contain tokens. */
function takeReason(): string {
  const fragment = new URLSearchParams(location.hash.slice(1))
  history.replaceState(history.state, '', location.pathname)
  if (fragment.has('accessToken') || fragment.has('mfaToken')) return 'NOT_STARTED_HERE'
  return fragment.get('error') ?? 'NO_RESPONSE'
}
const reason = takeReason()

/**
 * Where a sign-in ends that a front end of its own has started with tokens. This console starts none of them, so
 * tokens in the address belong to somebody else: they sign nobody in.
 */
export function AuthDone() {
  return (
    <Page title={t('authDone.title')} isNarrow>
      <Paper withBorder p="lg">
        <Stack>
          <Text role="alert">{textFor(`login.error.${reason}`) ?? t('login.error.SIGN_IN_FAILED')}</Text>
          <Group>
            <ButtonLink to="/login" search={{}}>
              {t('authDone.action')}
            </ButtonLink>
          </Group>
        </Stack>
      </Paper>
    </Page>
  )
}
