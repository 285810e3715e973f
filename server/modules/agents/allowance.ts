import type { Tx } from '#platform/kernel/db'
import { apiError } from '#platform/kernel/errors'
import type { Services } from '#platform/kernel/services'
import { AGENTS } from './errors.ts'
import * as statements from './sql.ts'

/**
 * 409 if the account owns as many agents as it may; archived ones do not count. Another transaction that gives the account an
 * agent waits until this one ends, so that the limit holds for agents that are made at once.
 */
export async function requireAgentAllowance(
  tx: Tx,
  accountId: string,
  { config: { AGENTS_PER_ACCOUNT: most } }: Pick<Services, 'config'>,
): Promise<void> {
  await tx.run(statements.lockAgentsOf(accountId))
  const { owned } = await tx.one(statements.countAgentsOf(accountId, most))
  if (owned >= most)
    throw apiError(AGENTS.TOO_MANY_AGENTS, {
      hint: `An account can have at most ${most} agents: archive one that you do not need`,
    })
}
