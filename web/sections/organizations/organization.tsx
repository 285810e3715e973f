import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { $api, api, refreshReads } from '../../api/client.ts'
import type { Organization } from '../../api/schema.d.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { money } from '../../parts/format.ts'
import { TextLink } from '../../parts/link.tsx'
import { Loading, Page } from '../../parts/page.tsx'
import { ProblemNotice } from '../../parts/problem-notice.tsx'
import { nameOf, t } from '../../texts/text.ts'
import { Members } from './members.tsx'
import { RenameOrganization } from './rename.tsx'
import { Spending } from './spending.tsx'

const route = getRouteApi('/public/private/app/organizations/$slug')

/** One organization: what it has, who belongs to it, and what its members may do. */
export function OrganizationPage() {
  const { slug } = route.useParams()
  const params = { path: { slug } }
  const { data, error, refetch, isPending } = $api.useQuery('get', '/organizations/{slug}', { params })
  return (
    <Page
      title={data?.name ?? t('organizations.title')}
      description={data && t('organizations.yourRole', { role: nameOf(data.role) })}
      actions={
        <Group gap="xs">
          {data && data.role !== 'MEMBER' && <RenameOrganization organization={data} />}
          {data?.role === 'OWNER' && <CloseOrganization organization={data} />}
        </Group>
      }
    >
      <ProblemNotice error={error} retry={() => void refetch()} />
      {isPending && <Loading />}
      {data && (
        <>
          <OrganizationWallets slug={slug} />
          <Spending organization={data} />
          <Members organization={data} />
        </>
      )}
    </Page>
  )
}

function OrganizationWallets({ slug }: { slug: string }) {
  const { data, error } = $api.useQuery('get', '/wallets/org/{slug}', { params: { path: { slug } } })
  return (
    <Stack gap="xs">
      <Title order={2} size="h3">
        {t('organizations.wallets')}
      </Title>
      <ProblemNotice error={error} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        {data?.wallets.map(({ id, currency, available }) => (
          <Card key={id} withBorder>
            <TextLink to="/app/wallet/$walletId" params={{ walletId: id }} search={{}}>
              {t('money.wallet', { currency })}
            </TextLink>
            <Text fw={700} fz={24}>
              {money(available, currency)}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Stack>
  )
}

function CloseOrganization({ organization: { slug, name } }: { organization: Organization }) {
  const [opened, setOpened] = useState(false)
  const navigate = useNavigate()
  return (
    <>
      <Button variant="default" onClick={() => setOpened(true)}>
        {t('organizations.close')}
      </Button>
      <FormDialog
        title={t('organizations.closeTitle', { name })}
        confirm={t('organizations.close')}
        color="red"
        opened={opened}
        onClose={() => setOpened(false)}
        onConfirm={async () => {
          await api.DELETE('/organizations/{slug}', { params: { path: { slug } } })
          await refreshReads('/organizations')
          await navigate({ to: '/app/organizations' })
        }}
      >
        <Text size="sm">{t('organizations.closeText')}</Text>
      </FormDialog>
    </>
  )
}
