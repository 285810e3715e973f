import { invalid } from '#platform/kernel/errors'
import { formatMoney, parseAmount } from '#platform/kernel/money'

/** A part of the deal that is delivered and released by itself; `amount` in micro-units as text, because it is stored as JSON. */
export interface Milestone {
  key: string
  title: string
  amount: string
}

/** Milestones as a buyer proposes them: distinct keys, amounts that sum to the budget. */
export function proposedMilestones(
  given: readonly { key: string; title?: string; amount: number | string }[],
  budget: bigint,
): Milestone[] {
  const milestones = given.map(({ key, title, amount }, index) => ({
    key,
    title: title ?? key,
    amount: parseAmount(amount, { field: `milestones.${index}.amount` }).toString(),
  }))
  if (new Set(milestones.map(each => each.key)).size < milestones.length) {
    throw invalid('milestones must have different keys')
  }
  const sum = milestones.reduce((total, each) => total + BigInt(each.amount), 0n)
  if (sum !== budget)
    throw invalid(`milestones sum to ${formatMoney(sum)}, the budget is ${formatMoney(budget)}`)
  return milestones
}

/** The milestones at another price: each in proportion, rounded on the running sum, so that they add up to the price. */
export function rescaled(milestones: readonly Milestone[], price: bigint): Milestone[] {
  const total = milestones.reduce((sum, each) => sum + BigInt(each.amount), 0n)
  let running = 0n
  let given = 0n
  return milestones.map(milestone => {
    running += BigInt(milestone.amount)
    const amount = (running * price) / total - given
    given += amount
    if (amount <= 0n) throw invalid(`the price is too small for milestone ${milestone.key}`)
    return { ...milestone, amount: amount.toString() }
  })
}
