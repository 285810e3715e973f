import type { Icon } from '@tabler/icons-react'
import {
  IconBell,
  IconBuilding,
  IconBuildingStore,
  IconBulb,
  IconChartBar,
  IconFileDescription,
  IconGift,
  IconReceipt,
  IconShieldLock,
  IconUserCircle,
  IconWallet,
} from '@tabler/icons-react'
import type { Account } from '../api/schema.d.ts'
import type { TextKey } from '../texts/text.ts'

/** One entry of the menu and of the search by `Cmd-K`. */
export interface Entry {
  label: TextKey
  to: string
  icon: Icon
}

export interface Section {
  label: TextKey
  entries: readonly Entry[]
  /** Who sees it; everybody without it. */
  for?(me: Account | null): boolean
}

const isSignedIn = (me: Account | null): boolean => me !== null
const isAdmin = (me: Account | null): boolean => me?.role === 'ADMIN'

/** The menu, in its order. */
export const NAVIGATION: readonly Section[] = [
  {
    label: 'nav.market',
    entries: [
      { label: 'nav.agents', to: '/app/agents', icon: IconBuildingStore },
      { label: 'nav.needs', to: '/app/needs', icon: IconBulb },
    ],
  },
  {
    label: 'nav.buying',
    for: isSignedIn,
    entries: [{ label: 'nav.deals', to: '/app/deals', icon: IconFileDescription }],
  },
  { label: 'nav.selling', for: isSignedIn, entries: [] },
  {
    label: 'nav.wallet',
    for: isSignedIn,
    entries: [
      { label: 'nav.wallets', to: '/app/wallet', icon: IconWallet },
      { label: 'nav.spend', to: '/app/spend', icon: IconChartBar },
      { label: 'nav.vouchers', to: '/app/vouchers', icon: IconGift },
      { label: 'nav.organizations', to: '/app/organizations', icon: IconBuilding },
    ],
  },
  { label: 'nav.developer', for: isSignedIn, entries: [] },
  { label: 'nav.affiliate', for: isSignedIn, entries: [] },
  {
    label: 'nav.account',
    for: isSignedIn,
    entries: [
      { label: 'nav.profile', to: '/app/account', icon: IconUserCircle },
      { label: 'nav.security', to: '/app/account/security', icon: IconShieldLock },
      { label: 'nav.notifications', to: '/app/account/notifications', icon: IconBell },
      { label: 'nav.plan', to: '/app/account/plan', icon: IconReceipt },
    ],
  },
  { label: 'nav.operator', for: isAdmin, entries: [] },
]

export const sectionsFor = (me: Account | null): readonly Section[] =>
  NAVIGATION.filter(({ entries, for: isFor }) => entries.length > 0 && (isFor?.(me) ?? true))

/** Whether the menu has an entry of its own for the path. */
export const hasEntry = (path: string): boolean =>
  NAVIGATION.some(({ entries }) => entries.some(({ to }) => to === path))
