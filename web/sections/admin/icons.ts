/** The icons of the operator's menu, in a chunk that others do not load. */
export {
  IconAffiliate,
  IconArrowsDiff,
  IconBook2,
  IconBuildingBank,
  IconChecks,
  IconClipboardCheck,
  IconCpu,
  IconCreditCardRefund,
  IconHeartbeat,
  IconHistory,
  IconLayoutDashboard,
  IconScale,
  IconSettings,
  IconUsers,
  IconZoomQuestion,
} from '@tabler/icons-react'
