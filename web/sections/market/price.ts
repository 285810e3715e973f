import type { Agent } from '../../api/schema.d.ts'
import { money } from '../../parts/format.ts'
import { t } from '../../texts/text.ts'

type Pricing = Agent['pricing']

/** The price in words and what it is for: `$25.00` `per job`. */
export function priceOf({ model, amount, currency }: Pricing): { price: string; per: string } {
  if (model === 'custom' && amount === 0) return { price: t('price.custom'), per: '' }
  if (amount === 0) return { price: t('price.free'), per: '' }
  const price = money(amount, currency)
  return { price, per: model === 'custom' ? '' : t(`price.${model}`) }
}

/** A price at which the agent can be hired without an answer from it. */
export const hasListedPrice = ({ model, amount }: Pricing): boolean => model !== 'custom' && amount > 0
