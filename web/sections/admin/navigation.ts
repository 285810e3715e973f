import { lazy } from 'react'
import type { Entry } from '../../app/navigation.ts'

type Icons = typeof import('./icons.ts')

/** Only admins see these icons: nobody else loads them first. */
const icon = (name: keyof Icons) => lazy(async () => ({ default: (await import('./icons.ts'))[name] }))

/** The menu of operators. */
export const OPERATOR_ENTRIES: readonly Entry[] = [
  { label: 'nav.admin.overview', to: '/app/admin', icon: icon('IconLayoutDashboard') },
  { label: 'nav.admin.users', to: '/app/admin/users', icon: icon('IconUsers') },
  { label: 'nav.admin.reviews', to: '/app/admin/agents', icon: icon('IconClipboardCheck') },
  { label: 'nav.admin.disputes', to: '/app/admin/escrows', icon: icon('IconScale') },
  { label: 'nav.admin.approvals', to: '/app/admin/approvals', icon: icon('IconChecks') },
  { label: 'nav.admin.payouts', to: '/app/admin/payouts', icon: icon('IconBuildingBank') },
  { label: 'nav.admin.chargebacks', to: '/app/admin/chargebacks', icon: icon('IconCreditCardRefund') },
  { label: 'nav.admin.suspense', to: '/app/admin/suspense', icon: icon('IconZoomQuestion') },
  { label: 'nav.admin.reconciliation', to: '/app/admin/reconciliation', icon: icon('IconArrowsDiff') },
  { label: 'nav.admin.ledger', to: '/app/admin/ledger', icon: icon('IconBook2') },
  { label: 'nav.admin.audit', to: '/app/admin/audit', icon: icon('IconHistory') },
  { label: 'nav.admin.affiliates', to: '/app/admin/affiliates', icon: icon('IconAffiliate') },
  { label: 'nav.admin.models', to: '/app/admin/models', icon: icon('IconCpu') },
  { label: 'nav.admin.settings', to: '/app/admin/settings', icon: icon('IconSettings') },
  { label: 'nav.admin.health', to: '/app/admin/health', icon: icon('IconHeartbeat') },
]
