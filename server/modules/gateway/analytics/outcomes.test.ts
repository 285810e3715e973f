import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { newId } from '#platform/kernel/id'
import { eventually, registerHuman, sharedService, type Person, type TestService } from '#test'
import { removeWrittenUsage, usageRecord, writeUsage } from '../../../../test/support/gateway/usage.ts'
import { bonusOf, MAX_BONUS, QualityBonuses } from './bonus.ts'

interface Outcome {
  generationId: string
  model: string
  kind: string
  score: number
  rating: string
  comment: string | null
  data: Outcome[]
  nextCursor: string | null
  message: string | string[]
}

suite('outcomes of routed requests', () => {
  let service: TestService
  let owner: Person
  let key: string
  before(async () => {
    service = await sharedService()
    owner = await registerHuman(service)
    key = await keyOf(owner)
  })
  after(async () => {
    await removeWrittenUsage(service)
    await service.close()
  })

  const keyOf = async ({ token }: Person) => {
    const made = await service.http<{ key: string }>('POST', '/v1/auth/keys', {
      token,
      body: { name: 'Key' },
    })
    assert.equal(made.status, 201, made.text)
    return made.body.key
  }
  const generation = async (accountId: string, more: Parameters<typeof usageRecord>[0] = {}) => {
    const record = usageRecord({ accountId, ...more })
    await writeUsage(service, [record])
    return record.id
  }
  const report = async (body: object, status = 201, token = key) => {
    const answer = await service.http<Outcome>('POST', '/v1/routing/outcomes', { token, body })
    assert.equal(answer.status, status, answer.text)
    return answer.body
  }

  test('a report replaces the former one of the same answer', async () => {
    const generationId = await generation(owner.id)
    const first = await report({ generationId, rating: 'bad', comment: 'Wrong sum' })
    assert.deepEqual(
      [first.score, first.rating, first.comment, first.kind, first.model],
      [0, 'bad', 'Wrong sum', 'code', 'claude-sonnet-5-5'],
    )
    const second = await report({ generationId, score: 0.8 })
    assert.deepEqual([second.score, second.rating, second.comment], [0.8, 'good', null])
    const list = await service.http<Outcome>('GET', '/v1/routing/outcomes', { token: owner.token })
    assert.deepEqual(list.body.data, [second])
  })

  test('a report needs a rating or a score, not both', async () => {
    const generationId = await generation(owner.id)
    for (const body of [
      {},
      { rating: 'good', score: 1 },
      { score: 1.1 },
      { rating: 'fine' },
      { score: -0.1 },
    ])
      await report({ generationId, ...body }, 400)
  })

  test('an answer of another account is 403, an unknown one 404', async () => {
    const other = await registerHuman(service)
    const generationId = await generation(other.id)
    await report({ generationId, rating: 'good' }, 403)
    await report({ generationId: `gen-${newId()}`, rating: 'good' }, 404)
    const list = await service.http<Outcome>('GET', '/v1/routing/outcomes', { token: other.token })
    assert.deepEqual(list.body.data, [])
  })

  test('an answer that is written after its report is found', async () => {
    const record = usageRecord({ accountId: owner.id })
    const reported = report({ generationId: record.id, rating: 'good' })
    await writeUsage(service, [record])
    assert.equal((await reported).generationId, record.id)
  })

  test('lists outcomes by pages, each once', async () => {
    const person = await registerHuman(service)
    const token = await keyOf(person)
    const ids: string[] = []
    for (let n = 0; n < 5; n++) {
      const generationId = await generation(person.id)
      ids.push(generationId)
      await report({ generationId, rating: 'good' }, 201, token)
    }
    const seen: string[] = []
    let cursor: string | null = ''
    do {
      const path: string = `/v1/routing/outcomes?limit=2${cursor && `&cursor=${cursor}`}`
      const { body } = await service.http<Outcome>('GET', path, { token: person.token })
      seen.push(...body.data.map(each => each.generationId))
      cursor = body.nextCursor
    } while (cursor)
    assert.deepEqual(seen, ids.toReversed())
  })

  test('outcomes change the quality of a model for their account and kind alone', async () => {
    const person = await registerHuman(service)
    const token = await keyOf(person)
    const bonuses = new QualityBonuses(service.services)
    bonuses.start()
    try {
      for (let n = 0; n < 3; n++)
        await report({ generationId: await generation(person.id), rating: 'bad' }, 201, token)
      const bonus = (accountId = person.id, kind = 'code', model = 'claude-sonnet-5-5') =>
        bonuses.of(accountId, model, kind)
      await eventually('a lower quality', async () => bonus() < 0)
      assert.ok(bonus() > -MAX_BONUS)
      assert.deepEqual(
        [bonus(owner.id), bonus(person.id, 'math'), bonus(person.id, 'code', 'glm-5')],
        [0, 0, 0],
      )
      const afterThree = bonus()
      // Written on another instance: found by the refresh.
      await report({ generationId: await generation(person.id), rating: 'bad' }, 201, token)
      await eventually('the fourth outcome', async () => bonus() < afterThree)
    } finally {
      await bonuses.stop()
    }
  })
})

test('the bonus is 0 without outcomes, grows with them and is bounded', () => {
  const of = (count: number, mean: number) => bonusOf({ weight: count, score: count * mean })
  assert.equal(of(0, 0), 0)
  assert.equal(of(100, 0.5), 0)
  assert.ok(of(1, 1) > 0 && of(1, 1) < MAX_BONUS / 4)
  assert.ok(of(10, 1) > of(1, 1) && of(1e6, 1) < MAX_BONUS && of(1e6, 1) > 0.99 * MAX_BONUS)
  assert.ok(Math.abs(of(7, 0) + of(7, 1)) < 1e-12)
})
