import { List } from '@mantine/core'
import type { RouteDecision } from '../../../api/schema.d.ts'
import { Details } from '../../../parts/details.tsx'
import { decimal, money, percent } from '../../../parts/format.ts'
import { Panel } from '../../../parts/panel.tsx'
import { t } from '../../../texts/text.ts'

/** As many as help to see why the first one was selected. */
const SHOWN_CANDIDATES = 6

/** What the gateway would select. */
export function Preview({ decision }: { decision: RouteDecision }) {
  const { model, provider, tier, complexity, estimatedCost, savingsVsPremium, candidates, fallbacks } =
    decision
  return (
    <Panel title={t('developer.preview')}>
      <Details
        rows={[
          [t('developer.model'), `${model} (${provider})`],
          [t('developer.models.tier'), t(`developer.tier.${tier}`)],
          [t('developer.requests.complexity'), complexity ? decimal(complexity.score) : '–'],
          [
            t('developer.preview.cost'),
            t('developer.preview.between', {
              min: money(estimatedCost.min, 'USD'),
              max: money(estimatedCost.max, 'USD'),
            }),
          ],
          [
            t('developer.preview.saved', { model: savingsVsPremium.model }),
            `${money(savingsVsPremium.amount, 'USD')} (${percent(savingsVsPremium.percent / 100)})`,
          ],
          [t('developer.preview.fallbacks'), fallbacks.join(', ') || '–'],
          [
            t('developer.preview.candidates'),
            <List key="candidates" size="sm">
              {candidates.slice(0, SHOWN_CANDIDATES).map(each => (
                <List.Item key={each.model}>
                  {each.model}
                  {each.excludedBecause ? `: ${each.excludedBecause}` : ''}
                </List.Item>
              ))}
            </List>,
          ],
        ]}
      />
    </Panel>
  )
}
