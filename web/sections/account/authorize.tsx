import { Alert, Button, Group, List, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { $api } from '../../api/client.ts'
import { useMe } from '../../api/me.ts'
import { asProblem, fieldError } from '../../api/problem.ts'
import { site } from '../../app/page-data.ts'
import { AmountField } from '../../parts/amount-field.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { t } from '../../texts/text.ts'

const FIRST_LIMIT = '50'

/** Asks the person whether a client of OAuth may act for the account, and how much it may spend. */
export function Authorize() {
  const [asked] = useState(() => new URLSearchParams(window.location.search))
  const me = useMe()
  const [limit, setLimit] = useState<string | number>(FIRST_LIMIT)
  const client = {
    clientId: asked.get('client_id') ?? '',
    redirectUri: asked.get('redirect_uri') ?? '',
    scope: asked.get('scope') ?? undefined,
  }
  const isOurs = isSupported(asked)
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/oauth/client',
    { params: { query: client } },
    { enabled: isOurs },
  )
  const allow = $api.useMutation('post', '/oauth/authorizations', {
    onSuccess: ({ redirectUrl }) => window.location.assign(redirectUrl),
  })
  const run = () =>
    allow.mutate({
      body: {
        ...client,
        codeChallenge: asked.get('code_challenge') ?? '',
        state: asked.get('state') ?? undefined,
        resource: asked.get('resource') ?? undefined,
        spendingLimit: String(limit),
      },
    })
  if (!isOurs) return <Page title={t('authorize.wrong')} description={t('authorize.wrongText')} isNarrow />
  if (error) return <Failed error={error} retry={() => void refetch()} />
  if (!data) return <Loading rows={4} />
  return (
    <Page title={t('authorize.title', { name: data.name })} description={t('authorize.text')} isNarrow>
      <Stack>
        <Text size="sm">{t('authorize.as', { name: me?.displayName ?? '' })}</Text>
        <List size="sm">
          {data.scopes.map(scope => (
            <List.Item key={scope}>{t(`developer.scope.${scope}.text`)}</List.Item>
          ))}
        </List>
        <AmountField
          label={t('developer.account.limit')}
          description={t('authorize.limitHint')}
          currency={site.currency}
          value={limit}
          onChange={setLimit}
        />
        <Alert color="yellow">{t('authorize.unchecked', { place: placeOf(data.redirectUri) })}</Alert>
        <ProblemNotice error={allow.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => window.location.assign(refusalOf(asked))}>
            {t('authorize.refuse')}
          </Button>
          <Button onClick={run} loading={allow.isPending} disabled={limit === ''}>
            {t('authorize.allow')}
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}

/** Whether the person can allow what is asked: a code with PKCE, for this service if the client names one (RFC 8707). */
function isSupported(asked: URLSearchParams): boolean {
  const resource = asked.get('resource')
  return (
    asked.get('response_type') === 'code' &&
    asked.get('code_challenge_method') === 'S256' &&
    /^[\w-]{43}$/.test(asked.get('code_challenge') ?? '') &&
    (resource === null || ['', '/', '/mcp'].some(path => resource === `${site.publicUrl}${path}`))
  )
}

/** A link that is wrong stays so; another failure may pass. */
function Failed({ error, retry }: { error: unknown; retry(): void }) {
  const problem = asProblem(error)
  const isWrong = problem.status === 400
  const isOfScope = isWrong && fieldError(problem, 'scope') !== undefined
  return (
    <Page
      title={t(isWrong ? 'authorize.wrong' : 'authorize.failed')}
      description={isOfScope && t('authorize.noScope')}
      isNarrow
    >
      {!isOfScope && <ProblemNotice error={error} {...(isWrong ? {} : { retry })} />}
    </Page>
  )
}

/** Where the answer goes, as a person reads it: a host, or the scheme of an application. */
function placeOf(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri)
  return /^https?:$/.test(protocol) ? host : protocol.slice(0, -1)
}

function refusalOf(asked: URLSearchParams): string {
  const url = new URL(asked.get('redirect_uri') ?? '')
  url.searchParams.set('error', 'access_denied')
  const state = asked.get('state')
  if (state !== null) url.searchParams.set('state', state)
  // Which server answers (RFC 9207), as with a code.
  url.searchParams.set('iss', site.publicUrl)
  return url.href
}
