import { Button, Divider } from '@mantine/core'
import { site } from '../../app/page-data.ts'
import { t } from '../../texts/text.ts'
import { markProviderStart } from './provider-start.ts'

/** Goes on to the identity provider; nothing where the operator has none. */
export function ProviderButton({ next = '/app' }: { next?: string }) {
  if (site.provider === null) return null
  return (
    <>
      <Divider label={t('login.or')} />
      <Button
        component="a"
        variant="default"
        href="/auth/identity-provider/login?session=cookie"
        onClick={() => markProviderStart(next)}
      >
        {t('login.provider', { provider: site.provider })}
      </Button>
    </>
  )
}
