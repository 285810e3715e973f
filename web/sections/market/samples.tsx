import { Button, Stack } from '@mantine/core'
import { IconRobot } from '@tabler/icons-react'
import { $api, refreshReads } from '../../api/client.ts'
import { site } from '../../app/page-data.ts'
import { Empty } from '../../parts/empty.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

/** A server without agents: in the sandbox a click makes some that do their jobs by themselves. */
export function Samples() {
  const make = $api.useMutation('post', '/sandbox/samples', { onSuccess: () => refreshReads('/agents') })
  if (!site.sandbox)
    return <Empty icon={IconRobot} title={t('agents.none.title')} text={t('agents.none.text')} />
  return (
    <Empty
      icon={IconRobot}
      title={t('agents.none.title')}
      text={t('agents.none.sandbox')}
      action={
        <Stack>
          <Button loading={make.isPending} onClick={() => make.mutate({})}>
            {t('agents.none.samples')}
          </Button>
          <ProblemNotice error={make.error} />
        </Stack>
      }
    />
  )
}
