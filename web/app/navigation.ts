import type { IconProps } from '@tabler/icons-react'
import {
  IconAdjustments,
  IconRobot,
  IconPlayerPlay,
  IconBuildingBank,
  IconAffiliate,
  IconBell,
  IconBuilding,
  IconBuildingStore,
  IconBulb,
  IconChartBar,
  IconChartHistogram,
  IconCoin,
  IconCoins,
  IconCpu,
  IconFileDescription,
  IconFiles,
  IconGift,
  IconKey,
  IconList,
  IconMessageChatbot,
  IconReceipt,
  IconRoute,
  IconShieldLock,
  IconUserCircle,
  IconWallet,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'
import type { Account } from '../api/schema.d.ts'
import { OPERATOR_ENTRIES } from '../sections/admin/navigation.ts'
import type { TextKey } from '../texts/text.ts'

/** One entry of the menu and of the search by `Cmd-K`. */
export interface Entry {
  label: TextKey
  to: string
  icon: ComponentType<IconProps>
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
    entries: [
      { label: 'nav.deals', to: '/app/deals', icon: IconFileDescription },
      { label: 'nav.runs', to: '/app/selling/runs', icon: IconPlayerPlay },
    ],
  },
  {
    label: 'nav.selling',
    for: isSignedIn,
    entries: [
      { label: 'nav.myAgents', to: '/app/selling/agents', icon: IconRobot },
      { label: 'nav.earnings', to: '/app/selling/earnings', icon: IconChartBar },
      { label: 'nav.payouts', to: '/app/selling/payouts', icon: IconBuildingBank },
      { label: 'nav.files', to: '/app/selling/files', icon: IconFiles },
    ],
  },
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
  {
    label: 'nav.developer',
    for: isSignedIn,
    entries: [
      { label: 'nav.apiKeys', to: '/app/developer/keys', icon: IconKey },
      { label: 'nav.routingKeys', to: '/app/developer/routing-keys', icon: IconRoute },
      { label: 'nav.playground', to: '/app/developer/playground', icon: IconMessageChatbot },
      { label: 'nav.requests', to: '/app/developer/requests', icon: IconList },
      { label: 'nav.usage', to: '/app/developer/usage', icon: IconChartHistogram },
      { label: 'nav.routingBalance', to: '/app/developer/balance', icon: IconCoin },
      { label: 'nav.models', to: '/app/developer/models', icon: IconCpu },
      { label: 'nav.routingSettings', to: '/app/developer/routing', icon: IconAdjustments },
    ],
  },
  {
    label: 'nav.affiliate',
    for: isSignedIn,
    entries: [
      { label: 'nav.affiliateDashboard', to: '/app/affiliate', icon: IconAffiliate },
      { label: 'nav.commissions', to: '/app/affiliate/commissions', icon: IconCoins },
    ],
  },
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
  { label: 'nav.operator', for: isAdmin, entries: OPERATOR_ENTRIES },
]

export const sectionsFor = (me: Account | null): readonly Section[] =>
  NAVIGATION.filter(({ entries, for: isFor }) => entries.length > 0 && (isFor?.(me) ?? true))

/** The entry that a page belongs to: of those whose address begins its path, the longest. */
export const entryOf = (path: string): string | undefined =>
  NAVIGATION.flatMap(({ entries }) => entries.map(({ to }) => to))
    .filter(to => path === to || path.startsWith(`${to}/`))
    .sort((a, b) => b.length - a.length)[0]
