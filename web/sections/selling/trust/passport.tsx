import { Alert, Button, FileButton, Group, List, Text } from '@mantine/core'
import { useState } from 'react'
import { $api } from '../../../api/client.ts'
import type { Agent, Passport } from '../../../api/schema.d.ts'
import { downloadFile } from '../../../parts/download.ts'
import { Details } from '../../../parts/details.tsx'
import { dateTime, number } from '../../../parts/format.ts'
import { Loading } from '../../../parts/page.tsx'
import { Panel } from '../../../parts/panel.tsx'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { nameOf, suiteName, t } from '../../../texts/text.ts'

/** The signed passport of the agent: shown, downloaded, and checked like one from elsewhere. */
export function PassportPanel({ agent: { id, slug } }: { agent: Agent }) {
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/agents/{id}/passport',
    { params: { path: { id } } },
    // Each one is issued anew.
    { staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  )
  return (
    <Panel title={t('selling.passport.title')}>
      <Text size="sm" c="dimmed">
        {t('selling.passport.text')}
      </Text>
      <ProblemNotice error={error} retry={() => void refetch()} />
      {!data && !error && <Loading rows={3} />}
      {data && <Content passport={data} slug={slug} />}
    </Panel>
  )
}

function Content({ passport, slug }: { passport: Passport; slug: string }) {
  const { trust, capabilities, certifications, issuedAt, expiresAt, proof } = passport
  return (
    <>
      <Details
        rows={[
          [t('selling.passport.tier'), nameOf(trust.tier)],
          [t('selling.passport.score'), number(trust.score)],
          [t('selling.passport.completions'), number(trust.completions)],
          [t('selling.passport.disputes'), number(trust.disputes)],
          [t('selling.passport.capabilities'), capabilities.join(', ') || t('selling.none')],
          [t('selling.passport.issued'), dateTime(issuedAt)],
          [t('selling.passport.expires'), dateTime(expiresAt)],
          [t('selling.passport.signed'), `${proof.alg}, ${proof.kid}`],
        ]}
      />
      {certifications.length > 0 && (
        <List size="sm">
          {certifications.map(({ certificate_id, benchmark_track, score }) => (
            <List.Item key={certificate_id}>
              {suiteName(benchmark_track)}: {number(score)}
            </List.Item>
          ))}
        </List>
      )}
      <Verify passport={passport} slug={slug} />
    </>
  )
}

function Verify({ passport, slug }: { passport: Passport; slug: string }) {
  const verify = $api.useMutation('post', '/agents/passport/verify')
  const [isUnreadable, setUnreadable] = useState(false)
  const check = (document: object) => verify.mutate({ body: { passport: { ...document } } })
  const checkFile = async (file: File | null) => {
    if (!file) return
    setUnreadable(false)
    try {
      check(JSON.parse(await file.text()) as object)
    } catch {
      setUnreadable(true)
    }
  }
  return (
    <>
      <Group gap="xs">
        <Button
          size="xs"
          onClick={() =>
            downloadFile(`passport-${slug}.json`, 'application/json', JSON.stringify(passport, null, 2))
          }
        >
          {t('selling.passport.download')}
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={verify.isPending}
          onClick={() => {
            setUnreadable(false)
            check(passport)
          }}
        >
          {t('selling.passport.verify')}
        </Button>
        <FileButton
          accept="application/json,.json"
          onChange={file => void checkFile(file)}
          inputProps={{ 'aria-label': t('selling.passport.file') }}
        >
          {props => (
            <Button {...props} size="xs" variant="default">
              {t('selling.passport.file')}
            </Button>
          )}
        </FileButton>
      </Group>
      <ProblemNotice error={verify.error} />
      {isUnreadable && <Alert color="red" role="alert" title={t('selling.passport.unreadable')} />}
      {verify.data && !isUnreadable && (
        <Alert
          color={verify.data.valid ? 'teal' : 'red'}
          role="status"
          title={t(`selling.passport.${verify.data.reason}`)}
        />
      )}
    </>
  )
}
