import { Alert, Stack, Text } from '@mantine/core'
import { IconLock } from '@tabler/icons-react'
import { useRouter, useRouterState } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useMe } from '../api/me.ts'
import { SignInAgain } from '../parts/problem-notice.tsx'
import { t } from '../texts/text.ts'

/** Says on the page of somebody that its session has ended. Where it had ended before the page, the browser goes to the sign-in. */
export default function SessionEnded() {
  const me = useMe()
  const isPrivate = useRouterState({
    select: state => state.matches.some(({ routeId }) => routeId === '/public/private'),
  })
  if (!me) return isPrivate && <ToSignIn />
  return (
    <Alert color="red" icon={<IconLock />} role="alert" title={t('problem.signedOut')} mb="lg">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{t('problem.signedOut.hint')}</Text>
        <SignInAgain />
      </Stack>
    </Alert>
  )
}

/** As the guard of private pages does, which has let this one pass. */
function ToSignIn() {
  const router = useRouter()
  useEffect(() => {
    void router.navigate({ to: '/login', search: { next: router.latestLocation.href }, replace: true })
  }, [router])
  return null
}
