import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { publishAgent, registerHuman } from '#test'
import { openConsole } from './support/console.ts'
import { ADMIN } from './support/desk.ts'
import { handsOf, WAYS } from './support/hands.ts'

suite('changes of agents in the console', () => {
  const console = openConsole()

  for (const way of WAYS)
    console.play(`a changed webhook comes back by Undo, by ${way}`, async visitor => {
      const { page, open } = visitor
      const hands = handsOf(visitor, way)
      const owner = await console.newcomer(visitor)
      const { token } = owner
      const agent = await publishAgent(console.service, owner)
      const path = `/agents/${agent.id}/webhook`
      const before = { url: 'https://hooks.example.com/first', events: ['deal.funded'] }
      const set = await console.service.http('PUT', path, { token, body: before })
      assert.equal(set.status, 200, set.text)
      const stored = async () => (await console.service.http<typeof before>('GET', path, { token })).body
      await open(`/app/selling/agents/${agent.id}/webhook`)
      const url = page.getByRole('textbox', { name: 'URL' })
      await hands.type(url, 'https://hooks.example.com/second')
      await hands.press('Save')
      await page.getByRole('alert').filter({ hasText: 'Saved' }).waitFor()
      assert.equal((await stored()).url, 'https://hooks.example.com/second')
      await hands.press('Undo')
      await page.getByText('The change was undone').waitFor()
      const { url: address, events } = await stored()
      assert.deepEqual({ url: address, events }, before)
      assert.equal(await url.inputValue(), before.url)
    })

  for (const way of WAYS)
    console.play(`a suspended agent comes back by Undo, by ${way}`, async visitor => {
      const { page, open, sees } = visitor
      const hands = handsOf(visitor, way)
      const name = `Careless ${way}`
      const owner = await registerHuman(console.service)
      const agent = await publishAgent(console.service, owner, { name })
      const stateOf = async () =>
        (await console.service.http<{ status: string }>('GET', `/agents/${agent.id}`, { token: owner.token }))
          .body.status
      await visitor.signIn(ADMIN)
      await open('/app/admin/agents?status=ACTIVE')
      await hands.press(`Suspend: ${name}`)
      await hands.confirm('Suspend')
      await page.getByRole('row', { name: new RegExp(name) }).waitFor({ state: 'detached' })
      assert.equal(await stateOf(), 'SUSPENDED')
      await hands.press('Undo')
      await sees('The change was undone')
      await page.getByRole('row', { name: new RegExp(name) }).waitFor()
      assert.equal(await stateOf(), 'ACTIVE')
    })

  console.play('a seller shows sample work, and takes one away', async visitor => {
    const { page, open, sees } = visitor
    const hands = handsOf(visitor, 'mouse')
    const owner = await console.newcomer(visitor)
    const agent = await publishAgent(console.service, owner, { name: 'Sampler' })
    await open(`/app/selling/agents/${agent.id}/edit`)
    const samples = page.getByRole('group', { name: 'Sample work' })
    const add = async (place: number) => {
      await hands.press('Add a sample')
      await hands.type(samples.getByLabel(`Input of sample ${place}`), `The text number ${place}`)
      await hands.type(samples.getByLabel(`Result of sample ${place}`), `The summary number ${place}`)
    }
    await add(1)
    await add(2)
    await hands.press('Remove sample 1')
    assert.equal(await samples.getByLabel('Input of sample 1').inputValue(), 'The text number 2')
    await hands.press('Save')
    await page.getByRole('alert').waitFor()
    await open(`/app/agents/${agent.slug}`)
    await sees('The summary number 2')
    assert.equal(await page.getByText('The summary number 1').count(), 0)
  })

  console.play('a save changes no schema and no sample that was not edited', async visitor => {
    const { page, open, press } = visitor
    const hands = handsOf(visitor, 'mouse')
    const owner = await console.newcomer(visitor)
    const inputSchema = {
      type: 'object',
      properties: { page: { type: 'integer' } },
      required: ['page'],
      additionalProperties: false,
      examples: [1, 2, 3, 4, 5, 6, 7].map(number => ({ page: number })),
    }
    const outputSchema = { examples: [0.93, '{"a":1}', ' spaced ', null, true, 'six', 7] }
    const { id } = await publishAgent(console.service, owner, { inputSchema, outputSchema })
    const stored = async () => (await console.service.http('GET', `/agents/${id}/schema`)).body
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    const answered = async (work: Promise<void>) => {
      const answer = page.waitForResponse(response => response.request().method() === 'PATCH')
      await work
      assert.equal((await answer).status(), 200)
    }
    await open(`/app/selling/agents/${id}/edit`)
    // Meanwhile a program writes it.
    outputSchema.examples[5] = 'sixth'
    const patch = { token: owner.token, body: { outputSchema } }
    assert.equal((await console.service.http('PATCH', `/agents/${id}`, patch)).status, 200)
    await hands.type(field('Name'), 'Reader of pages')
    await answered(hands.press('Save'))
    assert.deepEqual(await stored(), { inputSchema, outputSchema })
    await open(`/app/selling/agents/${id}/edit`)
    await hands.type(field('Input, meaning of field 1'), 'The page to read')
    await hands.type(field('Result of sample 1'), '0.95')
    await hands.type(field('Result of sample 2'), '{"a":2}')
    await answered(hands.press('Save'))
    assert.deepEqual(await stored(), {
      inputSchema: {
        ...inputSchema,
        properties: { page: { type: 'integer', description: 'The page to read' } },
      },
      outputSchema: { examples: [0.95, '{"a":2}', ...outputSchema.examples.slice(2)] },
    })
    await answered(press('Undo'))
    assert.deepEqual(await stored(), { inputSchema, outputSchema })
  })

  console.play('a sample in words becomes JSON when the agent takes fields', async visitor => {
    const { page, open } = visitor
    const hands = handsOf(visitor, 'mouse')
    const owner = await console.newcomer(visitor)
    const inputSchema = { examples: ['The first page', ''] }
    const outputSchema = { examples: ['A summary', '[1] of 2'] }
    const { id } = await publishAgent(console.service, owner, { inputSchema, outputSchema })
    const field = (name: string) => page.getByRole('textbox', { name, exact: true })
    await open(`/app/selling/agents/${id}/edit`)
    await hands.press('Add a field: Input')
    await hands.type(field('Input, name of field 1'), 'page')
    await page.getByLabel('Input, type of field 1').selectOption('integer')
    await hands.type(field('Input of sample 1'), '{"page":1}')
    await hands.type(field('Input of sample 2'), '{"page":2}')
    await hands.type(field('Result of sample 2'), '[2] of 2')
    const answer = page.waitForResponse(response => response.request().method() === 'PATCH')
    await hands.press('Save')
    assert.equal((await answer).status(), 200)
    assert.deepEqual((await console.service.http('GET', `/agents/${id}/schema`)).body, {
      inputSchema: {
        type: 'object',
        properties: { page: { type: 'integer' } },
        required: ['page'],
        examples: [{ page: 1 }, { page: 2 }],
      },
      outputSchema: { examples: ['A summary', '[2] of 2'] },
    })
  })
})
