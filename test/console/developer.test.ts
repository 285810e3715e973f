import assert from 'node:assert/strict'
import { before, suite } from 'node:test'
import { eventually, fund, publishAgent, registerHuman, type Person } from '#test'
import { openConsole, settled } from './support/console.ts'

const MODEL = 'gpt-6-luna'

suite('what a developer does in the console', () => {
  const console = openConsole()
  let developer: Person
  before(async () => {
    developer = await registerHuman(console.service)
    await fund(console.service, developer, 20)
  })

  const play = console.playAs(() => developer, '/app/developer/')

  const statusWith = async (key: string) =>
    (await console.service.http('GET', '/agents/my-agents', { token: key })).status

  play('the selection of models is set, and the change undone', 'routing', async ({ page, press, sees }) => {
    const config = async () =>
      (await console.service.http<object>('GET', '/v1/routing/config', { token: developer.token })).body
    const before = await config()
    const field = (label: string) => page.getByLabel(label, { exact: true })
    await page.getByRole('combobox', { name: 'Never these models' }).fill(MODEL)
    await page.getByRole('option', { name: MODEL, exact: true }).click()
    await page.keyboard.press('Escape')
    await field('Highest cost of one request').fill('0.25')
    await page.getByRole('switch', { name: 'Answer with another model if one fails' }).click({ force: true })
    await field('Middle tier from').fill('0.9')
    await press('Save')
    await sees('thresholds.mid')
    // Nothing of what was entered is gone.
    assert.equal(await field('Highest cost of one request').inputValue(), '0.25')
    await field('Middle tier from').fill('0.4')
    await press('Save')
    await sees('Saved')
    assert.deepEqual(await config(), {
      ...before,
      deny: [MODEL],
      maxPriceUsd: '0.25',
      fallbacks: false,
      thresholds: { mid: 0.4, premium: 0.7 },
    })
    await press('Undo')
    await sees('The change was undone')
    assert.deepEqual(await config(), before)
    assert.equal(await field('Highest cost of one request').inputValue(), '')
  })

  play('an API key is made, changed, rotated and revoked', 'keys', async ({ page, sees, press }, hands) => {
    const row = page.getByRole('row', { name: /Build server/ })
    const shownKey = page.getByRole('status').getByText(/^sk_/)
    const change = async (what: string) => {
      await hands.press('Change Build server')
      await page.getByRole('menuitem', { name: what }).click()
    }
    await page.getByRole('button', { name: 'Create an API key' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Build server')
    await page.getByLabel('Negotiate').check()
    await page.getByLabel('Spending limit').fill('50')
    await hands.confirm('Create an API key')
    const first = (await shownKey.textContent()) ?? ''
    await row.getByText('Read, Negotiate').waitFor()
    await row.getByText('$50.00').waitFor()
    await row.getByText('The whole account').waitFor()
    assert.equal(await statusWith(first), 200)

    await change('Edit')
    await page.getByLabel('Negotiate').uncheck()
    await page.getByLabel('Spending limit').fill('80')
    await hands.confirm('Save')
    await row.getByText('$80.00').waitFor()
    await row.getByText('Read', { exact: true }).waitFor()
    await press('Undo')
    await sees('The change was undone')
    await row.getByText('$50.00').waitFor()
    await row.getByText('Read, Negotiate').waitFor()

    await change('Rotate the key')
    await hands.confirm('Rotate the key')
    await sees('The previous key works until')
    const second = (await shownKey.textContent()) ?? ''
    assert.notEqual(second, first)
    assert.deepEqual([await statusWith(first), await statusWith(second)], [200, 200])

    await change('Revoke')
    await hands.confirm('Revoke')
    await row.getByText('Revoked').waitFor()
    assert.deepEqual([await statusWith(first), await statusWith(second)], [401, 401])
  })

  play('an API key is bound to an agent or an organization', 'keys', async ({ page }, hands) => {
    const { service } = console
    const { token } = developer
    const { id: agentId } = await publishAgent(service, developer, { name: 'Bound Writer' })
    const slug = `bound-${developer.id.slice(-8)}`
    const { body: organization } = await service.http<{ id: string }>('POST', '/organizations', {
      token,
      body: { slug, name: 'Bound Works' },
    })
    await page.reload()
    for (const [name, choice, bound] of [
      ['Writer key', 'Agent Bound Writer', 'Bound Writer'],
      ['Works key', 'Organization Bound Works', 'Bound Works'],
    ] as const) {
      await page.getByRole('button', { name: 'Create an API key' }).first().click()
      await page.getByRole('dialog').getByLabel('Name').fill(name)
      await page.getByRole('dialog').getByRole('combobox', { name: 'Acts for' }).click()
      await page.getByRole('option', { name: choice }).click()
      await hands.confirm('Create an API key')
      await page.getByRole('row', { name }).getByRole('link', { name: bound }).waitFor()
    }
    const { body: list } = await service.http<{
      items: { name: string; agentId: string | null; organizationId: string | null }[]
    }>('GET', '/api/v1/service-accounts', { token })
    const bindingOf = (name: string) => {
      const key = list.items.find(each => each.name === name)
      return [key?.agentId, key?.organizationId]
    }
    assert.deepEqual(bindingOf('Writer key'), [agentId, null])
    assert.deepEqual(bindingOf('Works key'), [null, organization.id])
  })

  play('an expired API key works again with a later end', 'keys', async ({ page }, hands) => {
    const { service } = console
    const body = { name: 'Nightly job', expiresAt: new Date(Date.now() + 3 * 86_400_000).toISOString() }
    const made = await service.http<{ apiKey: string }>('POST', '/api/v1/service-accounts', {
      token: developer.token,
      body,
    })
    await page.reload()
    const row = page.getByRole('row', { name: /Nightly job/ })
    await row.getByText(/^in (2|3) days$/).waitFor()
    const change = async (what: string) => {
      await hands.press('Change Nightly job')
      await page.getByRole('menuitem', { name: what }).click()
    }
    await change('Expire now')
    await hands.confirm('Expire now')
    await row.getByText('Expired').waitFor()
    assert.equal(await statusWith(made.body.apiKey), 401)
    await change('Edit')
    await page.getByRole('dialog').getByRole('combobox', { name: 'Expires' }).click()
    await page.getByRole('option', { name: 'In one year' }).click()
    await hands.confirm('Save')
    await row.getByText('Active').waitFor()
    assert.equal(await statusWith(made.body.apiKey), 200)
    await hands.press('Undo')
    await row.getByText('Expired').waitFor()
    assert.equal(await statusWith(made.body.apiKey), 401)
  })

  play('a routing key has limits, which are changed', 'routing-keys', async ({ page, press }, hands) => {
    const row = page.getByRole('row', { name: /Notebook/ })
    await page.getByRole('button', { name: 'Create a routing key' }).first().click()
    await page.getByRole('dialog').getByLabel('Name').fill('Notebook')
    await page.getByLabel('Cost per day', { exact: true }).fill('5')
    await page.getByLabel('Requests per minute').fill('60')
    await hands.confirm('Create a routing key')
    const key = (await page.getByRole('status').getByText(/^rk_/).textContent()) ?? ''
    await row.getByText('$5.00 a day, 60 requests a minute').waitFor()
    await hands.press('Edit Notebook')
    await page.getByLabel('Cost per day', { exact: true }).fill('')
    await page.getByLabel('Requests per minute').fill('10')
    await hands.confirm('Save')
    await row.getByText('10 requests a minute', { exact: true }).waitFor()
    await press('Undo')
    await row.getByText('$5.00 a day, 60 requests a minute').waitFor()
    await hands.press('Revoke Notebook')
    await hands.confirm('Revoke')
    await row.getByText('Revoked').waitFor()
    const { status } = await console.service.http('POST', '/v1/chat/completions', {
      token: key,
      body: { model: MODEL, messages: [{ role: 'user', content: 'Hello' }] },
    })
    assert.equal(status, 401)
  })

  play('money moves into the routing balance and back', 'balance', async ({ page, sees }, hands) => {
    const move = async (amount: string, button: string) => {
      await page.getByLabel('Amount').fill(amount)
      await hands.press(button)
      await page.getByRole('dialog').getByText(`$${amount}.00`).waitFor()
      await hands.confirm(button)
    }
    await move('9', 'Top up')
    await sees('$9.00 is in the routing balance.')
    await sees('$11.00 in the wallet')
    // More than the test credit that comes with a routing key.
    await move('6', 'Withdraw')
    await sees('$6.00 is in your wallet.')
    await sees('$17.00 in the wallet')
    await page.getByText('$3.00', { exact: true }).waitFor()
  })

  play('an answer appears while it is being written', 'playground', async ({ page, sees }, hands) => {
    const answer = page.getByRole('region', { name: 'Answer' })
    await hands.press('Make a key for today')
    await sees('A routing key is ready')
    const model = page.getByRole('combobox', { name: 'Model' })
    await model.fill(MODEL)
    await page.getByRole('option', { name: MODEL }).click()
    await hands.type('Prompt', 'Explain escrow in one sentence.')
    await hands.press('Preview the selection')
    await page.getByRole('region', { name: 'What would be selected' }).getByText('Estimated cost').waitFor()
    // So slow that it does not end before it is stopped.
    const { status } = await console.service.http('POST', '/sandbox/providers/openai/faults', {
      token: await console.service.adminToken(),
      body: { kind: 'slow_drip', count: 1, delayMs: 2000 },
    })
    assert.equal(status, 201)
    await hands.press('Send')
    const words = answer.locator('[aria-live]').filter({ hasText: /\w/ })
    await words.waitFor()
    const begun = (await words.textContent()) ?? ''
    await answer.getByText('…').first().waitFor()
    await hands.press('Stop')
    const ended = () => page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
    await ended()
    await hands.press('Send')
    await answer.getByText('…').first().waitFor({ state: 'detached' })
    await ended()
    const whole = (await words.textContent()) ?? ''
    assert.ok(whole.startsWith(begun) && whole.length > begun.length, `${begun} is the begin of ${whole}`)
  })

  play('the request log is searched and filtered', 'requests', async (visitor, hands) => {
    const { page, open, sees, press } = visitor
    const { token } = developer
    const read = async () =>
      (await console.service.http<{ data: { id: string; outcome: string }[] }>('GET', '/v1/usage', { token }))
        .body.data
    await eventually('both requests are recorded', async () => (await read()).length === 2)
    const done = (await read()).find(({ outcome }) => outcome === 'completed')
    assert.ok(done, JSON.stringify(await read()))
    await open('/app/developer/requests')
    const rows = page.getByRole('row').filter({ hasText: MODEL })
    await rows.nth(1).waitFor()
    await hands.type(page.getByRole('textbox', { name: 'Search' }), done.id)
    await rows.nth(1).waitFor({ state: 'detached' })
    await rows.getByRole('button', { name: 'Details' }).click()
    await page.getByRole('dialog').getByText(done.id).waitFor()
    await page.getByRole('dialog').getByText(`${MODEL} (openai)`).waitFor()
    await page.keyboard.press('Escape')
    await hands.type(page.getByRole('textbox', { name: 'Search' }), 'no such request')
    await sees('No request matches these filters.')
    await press('Clear filters')
    await rows.nth(1).waitFor()
    await page.getByRole('combobox', { name: 'Outcome' }).click()
    await page.getByRole('option', { name: 'Cancelled by the caller' }).click()
    await rows.nth(1).waitFor({ state: 'detached' })
    await rows.getByText('Cancelled by the caller').waitFor()
  })

  play('usage, cost and savings are drawn', 'usage', async ({ page }) => {
    for (const name of ['Cost with fee over time', 'Requests over time', 'Savings', 'Cost with fee by tier'])
      await page.getByRole('region', { name }).locator('.recharts-bar-rectangle path').first().waitFor()
    await page.getByRole('row', { name: new RegExp(MODEL) }).waitFor()
    await page.getByText('7 days', { exact: true }).click()
    await settled(page)
    await page.getByRole('row', { name: new RegExp(MODEL) }).waitFor()
  })

  play('the catalog of models is read by tier', 'models', async ({ page }) => {
    const table = page.getByRole('table', { name: 'Models' })
    await table.getByText(MODEL, { exact: true }).waitFor()
    await page.getByText('Premium', { exact: true }).first().click()
    await table.getByText(MODEL, { exact: true }).waitFor({ state: 'detached' })
    await table.getByText('gpt-6-astra', { exact: true }).waitFor()
  })
})
