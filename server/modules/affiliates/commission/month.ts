import { accountById } from '#identity'
import { letter } from '#platform/adapters/mail/letter'
import { sendMail } from '#platform/adapters/mail/mail'
import { after, DAY } from '#platform/kernel/clock'
import type { Tx } from '#platform/kernel/db'
import { formatMoney } from '#platform/kernel/money'
import type { Services } from '#platform/kernel/services'
import type { AffiliateProfile } from '../profile/profile.ts'
import * as profiles from '../sql.ts'
import { payAvailable, type Payment } from './payout.ts'
import { nextMonth, tierOf } from './plan.ts'
import * as statements from './sql.ts'

/** The deals of so many days decide whether a referral is active. */
const ACTIVE_DAYS = 365
/** What it buys and sells in that time, at least: 10 USD. Its fee makes an invented referral cost more than nothing. */
const ACTIVE_LEAST = 10_000_000n

/** Timer: sets the tier for the month that begins, pays what is available and sends the statement. */
export async function endMonth(services: Services, tx: Tx, profileId: string): Promise<void> {
  const profile = await tx.maybe(profiles.lockProfileOfMonth(profileId, tx.now))
  if (!profile) return
  const month = await nextTier(tx, profile)
  await tx.run(profiles.setMonth(profileId, { ...month, endsAt: nextMonth(tx.now), now: tx.now }))
  if (profile.status !== 'ACTIVE') return
  const payments = await payAvailable(tx, profile, 'timer')
  const sums = await tx.rows(statements.sumsOf(profileId))
  if (sums.length) await sendStatement(services, tx, { profile, payments, sums, tier: month.tier })
}

/** The tier follows the active referrals; a plan that an admin set keeps its rates. */
async function nextTier(tx: Tx, { id, customPlan, rateBps, level2Bps }: AffiliateProfile) {
  const since = after(tx.now, -ACTIVE_DAYS * DAY)
  const { counted } = await tx.one(statements.activeReferrals(id, { since, least: ACTIVE_LEAST }))
  const plan = tierOf(counted)
  return customPlan ? { tier: plan.tier, rateBps, level2Bps } : plan
}

interface Statement {
  profile: AffiliateProfile
  payments: readonly Payment[]
  sums: readonly { currency: string; status: string; amount: bigint }[]
  tier: string
}

async function sendStatement(
  services: Services,
  tx: Tx,
  { profile, payments, sums, tier }: Statement,
): Promise<void> {
  const account = await accountById(tx, profile.accountId)
  if (account?.status !== 'ACTIVE' || !account.email) return
  const amountsOf = (of: (payment: Payment) => bigint) =>
    payments
      .filter(payment => of(payment) > 0n)
      .map(payment => `${formatMoney(of(payment))} ${payment.currency}`)
  const paid = amountsOf(({ amount, recovered }) => amount - recovered)
  const recovered = amountsOf(payment => payment.recovered)
  const lines = sums.map(({ status, amount, currency }) => `${status}: ${formatMoney(amount)} ${currency}`)
  await sendMail(
    services,
    tx,
    account.id,
    letter({
      to: account.email,
      subject: 'Your affiliate statement',
      paragraphs: [
        paid.length ? `Paid to your wallet: ${paid.join(', ')}.` : 'Nothing was paid to your wallet.',
        ...(recovered.length ? [`Retained for what you owe: ${recovered.join(', ')}.`] : []),
        `Your commissions so far: ${lines.join('; ')}.`,
        `Your tier is ${tier}.`,
      ],
      link: { text: 'See each commission', url: `${services.publicUrl}/app/affiliate/commissions` },
      details: [`For programs: GET ${services.publicUrl}/affiliates/commissions`],
    }),
  )
}
