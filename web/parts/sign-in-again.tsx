import { Button } from '@mantine/core'
import { t } from '../texts/text.ts'

/** Leads from a page whose session has ended to the sign-in, which comes back to it. The page itself stays as it is. */
export const SignInAgain = () => (
  <Button
    component="a"
    href={`/login?next=${encodeURIComponent(location.pathname + location.search)}`}
    target="_blank"
    size="xs"
  >
    {t('problem.signedOut.action')}
  </Button>
)
