import assert from 'node:assert/strict'
import type { Market } from './deals.ts'

export interface RunView {
  id: string
  status: string
  payment: string
  price: string
  output?: unknown
  input?: unknown
  error: { code: string; message: string | null } | null
  attempts: number
  escrowId: string | null
  negotiationId: string | null
  allowedActions: string[]
}

/** The buyer of a market runs an agent. */
export async function execute(
  { service, buyer }: Market,
  agentId: string,
  body: object,
): Promise<{ execution: RunView; paymentTransaction: { kind: string; amount: string } | null }> {
  const answer = await service.http<{
    execution: RunView
    paymentTransaction: { kind: string; amount: string } | null
  }>('POST', `/agents/${agentId}/execute`, { token: buyer.token, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.body
}

export async function readRun({ service, buyer }: Market, id: string): Promise<RunView> {
  const answer = await service.http<RunView>('GET', `/agents/my-runs/${id}`, { token: buyer.token })
  assert.equal(answer.status, 200, answer.text)
  return answer.body
}

/** The run once it is as `until` says; fails after 30 seconds. */
export async function runOf(market: Market, id: string, until: (run: RunView) => boolean): Promise<RunView> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const run = await readRun(market, id)
    if (until(run)) return run
    assert(Date.now() < deadline, `the run is still ${JSON.stringify(run)}`)
    await new Promise(resolve => setTimeout(resolve, 50))
  }
}

export const ended = (market: Market, id: string): Promise<RunView> =>
  runOf(market, id, ({ status }) => !['PENDING', 'AWAITING_APPROVAL', 'RUNNING'].includes(status))
