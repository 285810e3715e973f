import { api, refreshReads } from '../../../api/client.ts'
import type {
  DeliverRequest,
  InitiateAp2PaymentRequest,
  OpenDisputeRequest,
  RequestChangesRequest,
  RespondToNegotiationRequest,
} from '../../../api/schema.d.ts'

// What the parties do. Each refusal is thrown; afterwards the page reads the deal and the wallets again.

const refresh = () => refreshReads('/ap2', '/payments/escrow', '/wallets')

async function done<Answer extends { data?: unknown }>(
  request: Promise<Answer>,
): Promise<NonNullable<Answer['data']>> {
  const { data } = await request
  await refresh()
  // A refusal was thrown before.
  return data as NonNullable<Answer['data']>
}

export const respond = (body: RespondToNegotiationRequest) => done(api.POST('/ap2/respond', { body }))
export const cancel = (negotiationId: string) => done(api.POST('/ap2/cancel', { body: { negotiationId } }))
export const start = (negotiationId: string) => done(api.POST('/ap2/start', { body: { negotiationId } }))
export const fund = (body: InitiateAp2PaymentRequest) => done(api.POST('/payments/ap2/initiate', { body }))
export const deliver = (body: DeliverRequest) =>
  done(api.POST('/ap2/deliver', { body })).catch(async (problem: unknown) => {
    // A delivery that did not pass is an entry of the deal too.
    await refresh()
    throw problem
  })

export interface Release {
  escrowId: string
  amount?: number
  milestoneKey?: string
  expectedHeld: string
}
export const release = (body: Release) => done(api.POST('/payments/ap2/release', { body }))

const path = (id: string) => ({ params: { path: { id } } })
export const refund = (escrowId: string) =>
  done(api.POST('/payments/escrow/{id}/refund', { ...path(escrowId), body: {} }))
export const requestChanges = (escrowId: string, body: RequestChangesRequest) =>
  done(api.POST('/payments/escrow/{id}/changes', { ...path(escrowId), body }))
export const openDispute = (escrowId: string, body: OpenDisputeRequest) =>
  done(api.POST('/payments/escrow/{id}/dispute', { ...path(escrowId), body }))
export const answerDispute = (escrowId: string, statement: string) =>
  done(api.POST('/payments/escrow/{id}/dispute/respond', { ...path(escrowId), body: { statement } }))
export const withdrawDispute = (escrowId: string) =>
  done(api.POST('/payments/escrow/{id}/dispute/withdraw', { ...path(escrowId), body: {} }))
