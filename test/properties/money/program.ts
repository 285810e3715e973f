import assert from 'node:assert/strict'
import { accounts } from '#ledger'
import { ApiError } from '#platform/kernel/errors'
import { newId } from '#platform/kernel/id'
import { claimOf, runOnce, type Claim } from '#platform/kernel/idempotency'
import { fund } from '#test'
import { Choices, type Step } from './choices.ts'
import { Model, type Funds } from './model.ts'
import { dollars, type Command, type Fixture } from './fixture.ts'

const START: Funds = { real: 100_000_000n, test: 40_000_000n }

/** How a service that is wrong differs from ours: the property must find each. */
export type Defect = 'repeats a key' | 'commits before a crash' | 'loses a refund'

/** The error of a process that ends before its commit. */
class Crash extends Error {}

interface Done {
  id: string
  code?: string
}
type Result = { done: Done; isReplay: boolean } | { refused: string }

/** Runs one random program, and compares what the service did with the model. Returns what the two people have then. */
export async function runSeed(
  fixture: Fixture,
  seed: number,
  { has, defect }: { has: readonly Funds[]; defect?: Defect },
): Promise<readonly Funds[]> {
  await fixture.settle(has, START)
  const program = new Program(fixture, seed, defect)
  try {
    await program.run()
  } catch (error) {
    throw new Error(`seed ${seed}: ${(error as Error).message}\n  ${program.log.join('\n  ')}`, {
      cause: error,
    })
  }
  return program.model.funds
}

class Program {
  readonly log: string[] = []
  readonly model = new Model(START)
  readonly #fixture: Fixture
  readonly #choices: Choices
  readonly #defect: Defect | undefined

  constructor(fixture: Fixture, seed: number, defect: Defect | undefined) {
    this.#fixture = fixture
    this.#choices = new Choices(fixture, this.model, seed)
    this.#defect = defect
  }

  async run(): Promise<void> {
    const choices = this.#choices
    // Most are short, so that many run; those that are long reach commands on escrows in every state.
    const length = choices.below(6) === 0 ? 12 + choices.below(12) : 1 + choices.below(3)
    for (let n = 0; n < length; n++) {
      if (choices.below(100) === 0) await this.#fund()
      else await this.#step(choices.step())
    }
    await this.#compare()
  }

  async #step(step: Step): Promise<void> {
    const how = this.#choices.pick(['once', 'once', 'once', 'again', 'crash', 'twice'] as const)
    this.log.push(`${step.what} (${how})`)
    if (how === 'once') return this.#expect(step, await this.#attempt(step.command, null))
    const claim = this.#claim(step.what)
    if (how === 'twice') return this.#twice(step, claim)
    if (how === 'again') return this.#again(step, claim)
    await this.#crash(step.command, claim)
    if (this.#choices.below(2)) this.#expect(step, await this.#attempt(step.command, claim))
  }

  #claim(content: string): Claim {
    const claim = claimOf({ key: newId(), scope: 'property', content })
    assert.ok(claim)
    return claim
  }

  /** The answer is lost: the same request is sent again, to the other instance; then another one with its key. */
  async #again(step: Step, claim: Claim): Promise<void> {
    const first = await this.#attempt(step.command, claim)
    this.#expect(step, first)
    const second = await this.#attempt(step.command, claim, 1)
    if ('refused' in first) {
      // The key of a refused request is free, and nothing has changed meanwhile.
      assert.ok('refused' in second, `${step.what}: refused, and done when it was sent again`)
      return
    }
    assert.deepEqual(second, { ...first, isReplay: true }, `${step.what}: not replayed`)
    if (this.#choices.below(4)) return
    const changed = await this.#attempt(step.command, { ...claim, hash: `${claim.hash}x` })
    assert.ok('refused' in changed, `${step.what}: done for another request with its key`)
  }

  /** The same request to both instances at once: done once, and the other is a replay or refused. */
  async #twice(step: Step, claim: Claim): Promise<void> {
    const results = await Promise.all([0, 1].map(at => this.#attempt(step.command, claim, at)))
    const done = results.find(result => 'done' in result && !result.isReplay)
    this.#expect(step, done ?? results[0] ?? { refused: 'nothing was sent' })
    const times = results.filter(result => 'done' in result && !result.isReplay).length
    assert.ok(times <= 1, `${step.what}: done twice`)
  }

  async #crash(command: Command, claim: Claim): Promise<void> {
    const crashing: Command = async (tx, services) => {
      const done = await command(tx, services)
      if (this.#defect === 'commits before a crash') return done
      throw new Crash()
    }
    await this.#attempt(crashing, claim).catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error
    })
  }

  async #attempt(command: Command, claim: Claim | null, at = this.#choices.below(2)): Promise<Result> {
    const { services } = this.#fixture.stage.instance(at)
    const used = this.#defect === 'repeats a key' ? null : claim
    try {
      const { body, isReplay } = await runOnce<Done>(services.db, { claim: used, status: 201 }, async tx => {
        const { id, code } = await command(tx, services)
        return code === undefined ? { id } : { id, code }
      })
      return { done: body, isReplay }
    } catch (error) {
      return { refused: refusalOf(error) }
    }
  }

  #expect(step: Step, result: Result): void {
    const isDone = 'done' in result
    const isLost = this.#defect === 'loses a refund' && step.what.startsWith('refund')
    const expected = !isLost && step.apply()
    const said = isDone ? 'done' : `refused: ${result.refused}`
    assert.equal(isDone, expected || isLost, `${step.what}: ${said}`)
    if (isDone && expected) step.made?.(result.done)
  }

  /** By card, over HTTP: the simulated processor notifies the webhook. */
  async #fund(): Promise<void> {
    const person = this.#choices.below(2)
    const cents = 100 + this.#choices.below(5000)
    this.log.push(`fund ${person} ${cents}`)
    await fund(this.#fixture.stage.service, this.#fixture.people[person === 0 ? 0 : 1], cents / 100)
    this.model.fund(person, BigInt(cents) * 10_000n)
  }

  async #compare(): Promise<void> {
    const { model } = this
    const expected = new Map<string, bigint>()
    for (const [at, { real, test }] of model.funds.entries()) {
      assert.ok(real >= 0n && test >= 0n, 'the model is below zero')
      expected.set(accounts.wallet(this.#fixture.wallet(at)), real)
      expected.set(accounts.testCredit(this.#fixture.wallet(at)), test)
    }
    for (const [account, amount] of this.#choices.parked()) expected.set(account, amount)
    const found = await this.#fixture.balances([...expected.keys()])
    for (const [account, amount] of expected)
      assert.equal(dollars(found.get(account) ?? -1n), dollars(amount), account)
  }
}

/** A refusal of the service, or of the ledger; whatever else was thrown fails the seed. */
function refusalOf(error: unknown): string {
  if (error instanceof ApiError && error.row.status < 500) return error.row.code
  const { constraint } = error as { constraint?: string }
  if (constraint === 'ledger_balance_not_negative' || constraint === 'ledger_balance_frozen')
    return constraint
  throw error
}
