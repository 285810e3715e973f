import { Page } from '../parts/page.tsx'
import { ProblemNotice } from '../parts/problem-notice.tsx'
import { t } from '../texts/text.ts'

/** Shown in place of a page that could not be drawn or loaded. */
export function Failed({ error }: { error: unknown }) {
  return (
    <Page title={t('failed.title')}>
      <ProblemNotice error={error} retry={() => location.reload()} />
    </Page>
  )
}
