import type { DealNotice } from '#ap2'
import type { DealEvent, MovedMoney } from '../events/deal-events.ts'
import type { EventType } from '../events/types.ts'

export type Side = 'buyer' | 'seller'

interface DealMail {
  /**
   * Who gets it; `other` is the side that did not cause it, both where neither did; `waited` that of the notice. Of a freeze
   * for a chargeback the seller has a mail already: `uninformed` is then the buyer, else both.
   */
  to: Side | 'both' | 'other' | 'waited' | 'uninformed'
  subject: string | ((about: About) => string)
  lead(about: About): string
}

interface About extends Money, Pick<DealEvent, 'unchecked' | 'reason'> {
  side: Side
  by: string
  waited: DealNotice['waited']
  decision: string | undefined
  escrowStatus: DealNotice['escrowStatus']
  /** The escrow still holds money. */
  isOpen: boolean
}

/** Amounts with their currency. */
interface Money extends MovedMoney {
  /** The price. */
  money: string
}

/** The mails about deals, by event. Disputes that are opened have mails of their own. */
export const DEAL_MAILS: Partial<Record<EventType, DealMail>> = {
  'negotiation.created': {
    to: 'seller',
    subject: 'You have an offer',
    lead: ({ money }) => `A buyer offers ${money} for work of your agent. Accept, counter or reject it.`,
  },
  'negotiation.countered': {
    to: 'other',
    subject: 'You have a counteroffer',
    lead: ({ money }) => `The price that is proposed now is ${money}. Accept, counter or reject it.`,
  },
  'negotiation.accepted': {
    to: 'other',
    subject: 'Your offer was accepted',
    lead: ({ money, side }) =>
      side === 'buyer'
        ? `The seller accepted ${money}. Fund the escrow, so that the work can start.`
        : `The buyer accepted ${money}. The work can start when the escrow is funded.`,
  },
  'negotiation.rejected': {
    to: 'other',
    subject: 'A deal was rejected',
    lead: ({ money, by }) => `The ${by} rejected the deal at ${money}. Nothing was paid.`,
  },
  'negotiation.canceled': {
    to: 'other',
    subject: 'A deal was canceled',
    lead: ({ by }) =>
      by === 'buyer'
        ? 'The buyer canceled the deal before it was funded. Nothing was paid.'
        : 'The account or organization of the other party was closed, which canceled the deal. Nothing was paid.',
  },
  'negotiation.expired': {
    to: 'waited',
    subject: 'A deal expired',
    lead: ({ money, side, waited }) =>
      waited?.for === 'funds'
        ? `The buyer did not fund ${money} in time, so the deal has ended.`
        : `The ${side === 'buyer' ? 'seller' : 'buyer'} did not answer your offer of ${money} in time. Nothing was paid.`,
  },
  'deal.funded': {
    to: 'seller',
    subject: 'A deal was funded',
    lead: ({ money }) => `${money} are held in escrow. The work can start.`,
  },
  'deal.delivered': {
    to: 'buyer',
    subject: ({ unchecked }) =>
      unchecked ? 'A delivery could not be checked in full' : 'A delivery is ready',
    lead: ({ escrowStatus, unchecked }) =>
      `The seller delivered, and the delivery was verified. ${unchecked ? uncheckedOf(unchecked) : ''}${nextOf(escrowStatus)}`,
  },
  'deal.delivery_failed': {
    to: 'seller',
    subject: 'A delivery did not pass',
    lead: () =>
      'The delivery did not pass the verification; the deal shows why. Deliver again before the deadline.',
  },
  'deal.changes_requested': {
    to: 'seller',
    subject: 'The buyer asks for changes',
    lead: () => 'The buyer asks for changes to the delivery.',
  },
  'deal.deadline_tomorrow': {
    to: 'seller',
    subject: 'A delivery is due tomorrow',
    lead: () => 'The delivery is due within a day. Without one, the money goes back to the buyer.',
  },
  'deal.released': {
    to: 'both',
    subject: 'A payment was released',
    lead: ({ side, money, toSeller = money }) =>
      `${toSeller !== money ? 'A part of the payment' : 'The payment'} ${side === 'seller' ? 'is in your wallet.' : 'went to the seller.'}`,
  },
  'deal.refunded': {
    to: 'both',
    subject: 'A deal was refunded',
    lead: ({ side, toBuyer, toCard }) => {
      if (side === 'seller') return 'The money that was held went back to the buyer.'
      if (!toCard) return 'The money that was held is in your wallet again.'
      return `${toCard} of the money that was held is on its way back to the card.${toCard === toBuyer ? '' : ' The rest is in your wallet.'}`
    },
  },
  'deal.charged_back': {
    to: 'both',
    subject: 'A bank took a payment back',
    lead: ({ money, toBuyer = money, isOpen }) =>
      `The bank of the card took back ${toBuyer} that was held for the deal, and the holder of the card has the money. ${
        isOpen ? 'What remains is frozen until an operator decides about it.' : 'The deal has ended.'
      }`,
  },
  'deal.frozen': {
    to: 'uninformed',
    subject: 'A deal is frozen',
    lead: ({ reason }) =>
      `${causeOfFreeze(reason)} Until then nothing is released or refunded, and the deadlines of the deal stop.`,
  },
  'deal.unfrozen': {
    to: 'uninformed',
    subject: 'A deal is not frozen any more',
    lead: ({ escrowStatus }) =>
      `The deal goes on${escrowStatus === 'DISPUTED' ? ' with its dispute' : ''}, and its deadlines have the time that was left.`,
  },
  'dispute.answered': {
    to: 'other',
    subject: 'Your dispute was answered',
    lead: () => 'The other party answered your dispute. An operator can decide it now.',
  },
  'dispute.withdrawn': {
    to: 'other',
    subject: 'A dispute was withdrawn',
    lead: ({ by }) =>
      `The ${by} withdrew the dispute. The deal goes on, with the time that its deadlines had left.`,
  },
  'dispute.escalated': {
    to: 'both',
    subject: 'A dispute waits for an operator',
    lead: ({ side }) =>
      `${silent('buyer', side)} An operator decides it now. Until then the money stays in escrow.${side === 'buyer' ? ' You can still answer.' : ''}`,
  },
  'dispute.resolved': {
    to: 'both',
    subject: ({ decision }) =>
      decision === 'resolve' ? 'An operator decided a deal' : 'A dispute was resolved',
    lead: about => [causeOf(about), ...sharesOf(about), ...(about.isOpen ? [REST] : [])].join(' '),
  },
}

/** What the buyer of a verified delivery can do. */
function nextOf(escrowStatus: DealNotice['escrowStatus']): string {
  if (escrowStatus === 'DISPUTED') return 'The payment waits until the dispute has ended.'
  if (escrowStatus === 'FROZEN') return 'The payment waits: the escrow is frozen.'
  return 'Release the payment, or ask for changes; without an answer the payment is released automatically.'
}

const uncheckedOf = ({ of, count }: NonNullable<About['unchecked']>): string =>
  `${count} of its ${of} acceptance criteria could not be checked, so they count as neither passed nor failed. `

const isChargeback = (reason: string | undefined): boolean => reason?.startsWith('chargeback:') ?? false

const causeOfFreeze = (reason: string | undefined): string =>
  isChargeback(reason)
    ? 'The holder of the card disputes the payment, so the escrow is frozen until the bank decides.'
    : 'The API keys of an agent of the deal were revoked, so the escrow is frozen until that agent has a new key.'

const REST = 'The rest stays in escrow, and the deal goes on.'

const silent = (silentSide: Side, side: Side): string =>
  `${side === silentSide ? 'You' : `The ${silentSide}`} did not answer the dispute in time.`

/** Why a dispute or a freeze has ended. */
function causeOf({ decision, side, toSeller }: About): string {
  if (decision === 'default') return silent(toSeller ? 'buyer' : 'seller', side)
  if (decision === 'lapse') return 'Nobody decided the dispute in time.'
  return decision === 'resolve' ? 'An operator decided the deal.' : 'The dispute was decided.'
}

/** What each party gets of what was held. */
function sharesOf({ side, toSeller, toBuyer, toCard }: About): string[] {
  const paid =
    side === 'seller' ? `You are paid ${toSeller}, before the fee.` : `${toSeller} went to the seller.`
  const back =
    side === 'seller' ? `${toBuyer} went back to the buyer.` : `${toBuyer} is in your wallet again.`
  const toBuyerText =
    side === 'buyer' && toCard ? `${toCard} of ${toBuyer} is on its way back to the card.` : back
  return [...(toSeller ? [paid] : []), ...(toBuyer ? [toBuyerText] : [])]
}

/** The sides that get the mail of an event. */
export function sidesFor(
  mail: DealMail,
  { by, waited, reason }: Pick<DealEvent, 'by' | 'reason'> & Pick<DealNotice, 'waited'>,
): Side[] {
  if (mail.to === 'waited') return waited ? [waited.side] : []
  if (mail.to === 'uninformed' && by !== 'operator') {
    // The mail about the chargeback says that the rest is frozen.
    if (reason?.startsWith('chargeback_lost:')) return []
    if (isChargeback(reason)) return ['buyer']
  }
  if (mail.to === 'buyer' || mail.to === 'seller') return [mail.to]
  const sides: Side[] = ['buyer', 'seller']
  return mail.to === 'other' ? sides.filter(side => side !== by) : sides
}

const moneyOf = (price: string, { currency, test }: DealNotice): string =>
  `${price} ${currency}${test ? ' (test credit)' : ''}`

/** The price of a deal and what an event moved of it. */
export function moneyIn(notice: DealNotice, { toSeller, toBuyer, toCard }: MovedMoney): Money {
  const withCurrency = (amount: string | undefined) => amount && moneyOf(amount, notice)
  return {
    money: moneyOf(notice.price, notice),
    toSeller: withCurrency(toSeller),
    toBuyer: withCurrency(toBuyer),
    toCard: withCurrency(toCard),
  }
}

/** What moved, if that is a part of the price. */
export function amountsOf(type: EventType, { money, toSeller = money, toBuyer = money }: Money): string {
  if (type === 'deal.released' && toSeller !== money) return `Released: ${toSeller}, of a price of ${money}.`
  if (type === 'deal.refunded' && toBuyer !== money) return `Refunded: ${toBuyer}, of a price of ${money}.`
  return `Price: ${money}.`
}
