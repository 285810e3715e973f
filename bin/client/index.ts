import type { Command } from '../commands/command.ts'
import { login, logout, register } from './account.ts'
import {
  adminApprovals,
  adminApprove,
  adminAudit,
  adminReject,
  adminSuspend,
  adminTrialBalance,
} from './admin.ts'
import { agentsCreate, agentsList, agentsPublish, agentsSearch } from './agents.ts'
import { api } from './api.ts'
import { completionOf } from './completion.ts'
import {
  deals,
  dealsAccept,
  dealsDeliver,
  dealsPay,
  dealsRelease,
  dealsShow,
  dealsWatch,
  hire,
} from './deals.ts'
import { keys, keysCreate, keysRevoke, keysRotate } from './keys.ts'
import { listen } from './listen.ts'
import { trigger } from './trigger.ts'
import { wallet, walletFund } from './wallet.ts'

/** The commands that call a service, in the order in which `svc help` lists them. */
export const clientCommands: readonly Command[] = [
  login,
  register,
  logout,
  agentsSearch,
  agentsList,
  agentsCreate,
  agentsPublish,
  hire,
  deals,
  dealsShow,
  dealsAccept,
  dealsPay,
  dealsDeliver,
  dealsRelease,
  dealsWatch,
  listen,
  trigger,
  wallet,
  walletFund,
  keys,
  keysCreate,
  keysRotate,
  keysRevoke,
  adminApprovals,
  adminApprove,
  adminReject,
  adminSuspend,
  adminAudit,
  adminTrialBalance,
  api,
  completionOf(async () => [...clientCommands, ...(await import('../commands/index.ts')).commands]),
]
