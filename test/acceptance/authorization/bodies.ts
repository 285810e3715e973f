import { uniqueName, type Fixtures } from './fixtures.ts'

// What the rows of the matrix send.
export const PASSWORD = 'correct horse battery staple'
/** The same body for everybody. */
export const sending = (body: object) => ({ body: () => body })
/** A body that names the object. */
export const naming = (field: string, more: object = {}) => ({
  body: ([id]: string[]) => ({ [field]: id, ...more }),
})
export const asNegotiation = (more?: object) => ({ ...naming('negotiationId', more), unknown: 400 })
export const accepting = { ...asNegotiation({ status: 'ACCEPTED' }), settable: ['status'] }
export const asEscrow = (more?: object) => naming('escrowId', more)
export const settled = { ...asEscrow({ status: 'SETTLED' }), settable: ['status'] }
export const empty = sending({})
export const event = sending({ id: 'evt_1', type: 'payment_intent.succeeded', data: { object: {} } })
export const toPartner = (_: string[], { partner }: Fixtures) => ({ toWalletId: partner.walletId, amount: 1 })
export const fromWallet = ([fromWalletId]: string[], { partner }: Fixtures) => ({
  fromWalletId,
  toWalletId: partner.walletId,
  amount: 1,
  reason: 'test',
})
export const toPartnerAs =
  (field: string) =>
  (_: string[], { partner }: Fixtures) => ({ [field]: partner.walletId, reason: 'test' })
export const directly = ([sourceWalletId]: string[], { partner }: Fixtures) => ({
  sourceWalletId,
  destinationWalletId: partner.agent.walletId,
  amount: 1,
})
export const offer = ([requesterAgentId]: string[], { partner }: Fixtures) => ({
  requesterAgentId,
  responderAgentId: partner.agent.id,
  requestedService: 'Notes',
  budget: 1,
})
export const hire = (_: string[], { partner }: Fixtures) => ({ agentId: partner.agent.id, amount: 1 })
export const hireByCard = (_: string[], { partner }: Fixtures) => ({
  agentId: partner.agent.id,
  amount: 1,
  paymentMethodId: 'pm_card_visa',
})
export const rating = ([, escrowId]: string[]) => ({ escrowId, rating: 5 })
export const collaboration = ([requesterAgentId]: string[], { partner }: Fixtures) => ({
  requesterAgentId,
  responderAgentId: partner.agent.id,
  payload: { task: 'translate' },
})
export const email = () => ({ email: `${uniqueName()}@example.com` })
export const person = () => ({ ...email(), displayName: 'Somebody', password: PASSWORD })
export const username = () => ({ username: uniqueName() })
export const ownedBy = (ownerType: string) => ({ ...naming('ownerId', { ownerType }), settable: ['ownerId'] })
export const newOrganization = () => ({ slug: uniqueName().replace('_', '-'), name: 'Works' })
export const joining = (_: string[], { partner }: Fixtures) => ({ userId: partner.id, role: 'MEMBER' })
export const beating = sending({ status: 'busy' })
export const answering = sending({ statement: 'It is' })
export const deciding = sending({ outcome: 'REFUND', reason: 'test' })
export const REASON = sending({ reason: 'test' })
export const CARD = sending({ cardNumber: '4242424242424242' })
export const ONE_DOLLAR = { amount: 1, reason: 'test' }
