import { Box } from '@mantine/core'
import type { Agent } from '../../../api/schema.d.ts'
import { Panel } from '../../../parts/panel.tsx'
import { t } from '../../../texts/text.ts'
import { AgentCard } from '../../market/agent-card.tsx'
import type { AgentValues } from './values.ts'

/** What an agent has before anybody hired it. */
const UNUSED: Agent = {
  id: '',
  slug: 'preview',
  name: '',
  description: '',
  categories: [],
  tags: [],
  capabilities: [],
  pricing: { model: 'custom', amount: 0, currency: 'USD' },
  visibility: 'PUBLIC',
  role: null,
  conduit: null,
  ap2Endpoint: null,
  inputSchema: null,
  outputSchema: null,
  fulfillmentTypes: [],
  status: 'DRAFT',
  missing: [],
  trustTier: 'UNVERIFIED',
  trustScore: 0,
  verificationStatus: 'UNVERIFIED',
  creatorId: '',
  claimedById: null,
  ownerId: '',
  walletId: '',
  x402WalletAddress: null,
  presence: {
    status: 'unknown',
    lastSeenAt: null,
    ageSeconds: null,
    ttlSeconds: 90,
    freshness: 'never',
    load: null,
    asOf: '',
  },
  stats: { executions: 0, completions: 0, rating: null },
  createdAt: '',
  updatedAt: '',
}

/** The card of the catalog as buyers will see it, while the form is filled in. */
export function CatalogPreview({ values, agent }: { values: AgentValues; agent: Agent | undefined }) {
  const { name, description, categories, model, amount, currency } = values
  return (
    <Panel title={t('selling.preview')}>
      <Box inert>
        <AgentCard
          agent={{
            ...UNUSED,
            ...agent,
            name: name.trim() || t('selling.form.name'),
            description,
            categories,
            pricing: { model, amount: Number(amount) || 0, currency },
          }}
        />
      </Box>
    </Panel>
  )
}
