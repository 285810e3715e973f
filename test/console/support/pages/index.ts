import { dealPages } from './deals.ts'
import { marketPages } from './market.ts'
import { moneyPages } from './money.ts'
import { needsPages } from './needs.ts'
import type { PagesOf } from './page-list.ts'

/** The pages of each section, which the tour visits and of which the screenshots are taken. */
export const SECTIONS: Readonly<Record<string, PagesOf>> = {
  deals: dealPages,
  market: marketPages,
  money: moneyPages,
  needs: needsPages,
}
