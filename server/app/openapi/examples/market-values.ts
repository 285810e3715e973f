import { SERVICE, uuid } from './constants.ts'

/** Of budgets, autonomy policies, needs, offers and artifacts, by field name. */
export const MARKET_FIELDS: Readonly<Record<string, readonly unknown[]>> = {
  allowedCounterparties: [uuid('b1')],
  blockedCounterparties: [uuid('b7')],
  minimumCounterpartyTier: ['BASIC'],
  needId: [uuid('c5')],
  acceptedOfferId: [null],
  openOffers: [2],
}

/** The same by the name of the schema. */
export const MARKET_VALUES: Readonly<Record<string, Record<string, unknown>>> = {
  AgentBudget: {
    monthlyLimit: '500.00',
    perTransactionLimit: '100.00',
    approvalThreshold: '50.00',
    approvalMode: 'AUTO',
    remaining: '400.00',
    spentThisPeriod: '100.00',
    resetsOn: '2026-02-01T00:00:00.000Z',
  },
  OrganizationPolicy: {
    perTransactionLimit: '100.00',
    monthlyLimit: '1000.00',
    spentThisPeriod: '250.00',
    remaining: '750.00',
    resetsOn: '2026-02-01T00:00:00.000Z',
  },
  OrganizationBudget: {
    username: 'ada',
    role: 'ADMIN',
    monthlyLimit: '500.00',
    spentThisPeriod: '250.00',
    remaining: '250.00',
    resetsOn: '2026-02-01T00:00:00.000Z',
  },
  VaultArtifact: { id: uuid('c7'), name: 'notes.md', mimeType: 'text/markdown', bytes: 2048 },
  Need: { id: uuid('c5'), status: 'OPEN', title: SERVICE, agent: null },
  Offer: { id: uuid('c6'), status: 'OPEN', price: 80, message: 'Ready to start', negotiationId: null },
  AcceptedOffer: {
    offer: { id: uuid('c6'), status: 'ACCEPTED', price: 80, message: 'Ready to start' },
    negotiation: { status: 'ACCEPTED', price: 80, proposedBudget: 80, escrowId: null, escrow: null },
  },
  AutonomyPolicy: {
    perDealLimit: '100.00',
    dailyLimit: '300.00',
    spentToday: '100.00',
    approvalThreshold: '50.00',
    blockedCounterparties: [],
  },
}
