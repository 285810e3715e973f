import { adminPages } from './admin.ts'
import { accountPages } from './account.ts'
import { affiliatePages } from './affiliate.ts'
import { dealPages } from './deals.ts'
import { developerPages } from './developer.ts'
import { entrancePages } from './entrance.ts'
import { marketPages } from './market.ts'
import { moneyPages } from './money.ts'
import { needsPages } from './needs.ts'
import type { PagesOf } from './page-list.ts'
import { sellingPages } from './selling.ts'

/** The pages of each section, which the tour visits and of which the screenshots are taken. */
export const SECTIONS: Readonly<Record<string, PagesOf>> = {
  admin: adminPages,
  account: accountPages,
  affiliate: affiliatePages,
  deals: dealPages,
  developer: developerPages,
  entrance: entrancePages,
  market: marketPages,
  money: moneyPages,
  needs: needsPages,
  selling: sellingPages,
}
