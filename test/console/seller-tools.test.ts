import assert from 'node:assert/strict'
import { after, before, suite } from 'node:test'
import {
  deliveredDeal,
  must,
  negotiate,
  openMarket,
  publishAgent,
  registerHuman,
  WebhookReceiver,
  type Market,
} from '#test'
import { startAgentProcess, type AgentProcess } from '../support/people/certified-agent.ts'
import { openAgentEndpoint, type AgentEndpoint } from '../support/service/agent-endpoint.ts'
import { assertAccessible } from './support/checks.ts'
import { openConsole, settled } from './support/console.ts'

/** Runs in the page; the tests are compiled without the types of a browser. */
const isDrawn = async (image: unknown): Promise<boolean> => {
  const { decode, naturalWidth } = image as { decode(): Promise<void>; naturalWidth: number }
  await decode.call(image)
  return naturalWidth > 0
}

suite('what a seller does for an agent', () => {
  const console = openConsole()
  let market: Market
  let receiver: WebhookReceiver
  let endpoint: AgentEndpoint
  let certified: AgentProcess
  before(async () => {
    market = await openMarket(console.service, { amount: 500, card: true })
    receiver = await WebhookReceiver.open()
    endpoint = await openAgentEndpoint()
    certified = await startAgentProcess()
  })
  after(async () => {
    receiver.close()
    await endpoint.close()
    await certified.close()
  })

  /** One page of the agent, for its owner. */
  const play = console.playAs(
    () => market.agent.owner,
    () => `/app/selling/agents/${market.agent.id}`,
  )

  play('a listing is edited beside its preview', '/edit', async ({ page, open, sees, heading }, hands) => {
    const preview = page.getByRole('region', { name: 'In the catalog' })
    await hands.type(page.getByRole('textbox', { name: 'Name', exact: true }), 'Changelog editor')
    await hands.type('Description', 'Edits the list of changes of a release.')
    await page.getByRole('combobox', { name: 'Pricing' }).selectOption('For each call')
    await hands.type(page.getByRole('textbox', { name: 'Amount' }), '0.5')
    await hands.type('Endpoint', endpoint.url)
    // Nothing is saved yet.
    await preview.getByText('Changelog editor').waitFor()
    await preview.getByText('Edits the list of changes').waitFor()
    await preview.getByText('$0.50').waitFor()
    await hands.press('Save')
    await sees('Saved')
    // With the note about it.
    await assertAccessible(page)
    await open(`/app/agents/${market.agent.slug}`)
    await sees('Edits the list of changes of a release.')
    await page.getByText('$0.50').first().waitFor()
    // An agent that there is not, and one of another account.
    const other = await publishAgent(console.service, market.buyer)
    for (const id of ['01a00000-0000-7000-8000-000000000000', other.id]) {
      await open(`/app/selling/agents/${id}/webhook`)
      await heading('Page not found')
      assert.equal(await page.getByRole('link', { name: 'Webhook' }).count(), 0)
    }
  })

  play('the endpoint is tested with an input', '/runs', async ({ page, sees }, hands) => {
    const { owner } = market.agent
    const { status } = await console.service.http('POST', `/wallets/${owner.walletId}/fund`, {
      token: owner.token,
      body: { amount: 5 },
    })
    assert.equal(status, 201)
    await hands.type('Input', '{ "changes": ["Faster start"] }')
    await hands.press('Run the agent')
    await page.getByRole('dialog').getByText('$0.50').waitFor()
    await hands.confirm('Run the agent')
    const output = page.getByTestId('output')
    await output.getByText('Faster start').waitFor()
    await sees('Succeeded')
    assert.deepEqual(endpoint.received[0]?.json.input, { changes: ['Faster start'] })
  })

  play('a webhook has a log, and a delivery is sent again', '/webhook', async (visitor, hands) => {
    const { page, sees } = visitor
    await hands.type(page.getByRole('textbox', { name: 'URL' }), receiver.url)
    await hands.press('Set the webhook')
    await sees('Webhook secret: copy it now, it is shown once')
    await negotiate(market, { requestedService: 'Notes of version 3' })
    // The stream brings the event without a reload.
    const events = page.getByRole('region', { name: 'Events' })
    await events.getByRole('link', { name: 'negotiation.created' }).first().waitFor()
    await receiver.until(({ messages }) => messages.length === 1)
    const log = page.getByRole('region', { name: 'Deliveries' })
    await page.reload()
    const row = log.getByRole('row', { name: /negotiation\.created/ })
    await row.getByText('200').waitFor()
    await row.getByRole('button', { name: 'Send again: negotiation.created' }).click()
    await receiver.until(({ messages }) => messages.length === 2)
    assert.equal(receiver.messages[0]?.event.id, receiver.messages[1]?.event.id)
    // What is about no deal leads to none.
    const asker = await publishAgent(console.service, market.buyer, { name: 'Asker' })
    const asked = { requesterAgentId: asker.id, responderAgentId: market.agent.id, payload: 'Hello' }
    await must(market, 'buyer', '/agents/a2a', asked)
    await events.getByText('a2a.requested').waitFor()
    await receiver.until(({ messages }) => messages.length === 3)
    await page.reload()
    await log.getByRole('row', { name: /a2a\.requested/ }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'a2a.requested' }).count(), 0)
    await log.getByRole('combobox').selectOption('Failed')
    await log.getByText('No deliveries.').waitFor()
  })

  play('the inbox leads to the offer, and answers another agent', '/inbox', async (visitor, hands) => {
    const { page, open, heading, sees } = visitor
    const other = await publishAgent(console.service, market.buyer, { name: 'Translator' })
    await negotiate(market, { requestedService: 'Notes of version 4' })
    const { status } = await console.service.http('POST', '/agents/a2a', {
      token: market.buyer.token,
      body: {
        requesterAgentId: other.id,
        responderAgentId: market.agent.id,
        payload: 'Shall we translate the notes?',
      },
    })
    assert.equal(status, 201)
    await page.reload()
    await sees('Shall we translate the notes?')
    await hands.press('Accept: Translator')
    await page.getByRole('dialog').getByLabel('Message').fill('Yes, from June on')
    await hands.confirm('Accept')
    await page.getByText('Yes, from June on').waitFor()
    const offer = page.getByRole('row', { name: /Notes of version 4/ })
    await offer.getByText('Answer the offer').waitFor()
    await offer.getByRole('link', { name: 'Notes of version 4' }).click()
    await heading('Notes of version 4')
    // A request of one's own, by the name of the other agent in the catalog.
    await open(`/app/selling/agents/${market.agent.id}/inbox`)
    await hands.press('Ask an agent')
    await hands.type(page.getByRole('textbox', { name: 'Agent', exact: true }), other.slug)
    await hands.type('Message', 'Can you do German?')
    await hands.confirm('Send the request')
    await sees('Can you do German?')
  })

  play('a certification is run and passed', '/edit', async ({ page, open, sees }, hands) => {
    await hands.type('Endpoint', certified.url)
    await hands.press('Save')
    await sees('Saved')
    await open(`/app/selling/agents/${market.agent.id}/webhook`)
    await hands.press('Rotate the secret')
    await hands.confirm('Rotate the secret')
    const secret = page.getByText(/^whsec_/)
    certified.secret = (await secret.textContent()) ?? ''
    await open(`/app/selling/agents/${market.agent.id}/certification`)
    await hands.press('Start the certification')
    await sees('3 of 3 tasks passed')
    await sees('Certificate valid until')
    await sees('100 of 100')
  })

  play('a rating is answered, and buyers read the answer', '/reviews', async (visitor, hands) => {
    const { page, open, sees } = visitor
    const { id, escrowId } = await deliveredDeal(market, {
      requestedService: 'Notes of version 1',
      budget: 120,
    })
    await must(market, 'buyer', '/payments/ap2/release', { escrowId })
    const review = { negotiationId: id, rating: 4, comment: 'Clear, a little late.' }
    await must(market, 'buyer', `/agents/${market.agent.id}/reviews`, review)
    await page.reload()
    await sees('Clear, a little late.')
    await hands.press('Reply')
    await page.getByLabel('Your reply').fill('We are sorry for the delay.')
    await hands.confirm('Publish the reply')
    await sees('We are sorry for the delay.')
    await open(`/app/agents/${market.agent.slug}`)
    await sees('We are sorry for the delay.')
  })

  play('the passport is verified, and a changed one refused', '/trust', async ({ page, sees }, hands) => {
    await sees('Trust tier')
    const download = page.waitForEvent('download')
    await hands.press('Download')
    assert.equal((await download).suggestedFilename(), `passport-${market.agent.slug}.json`)
    await hands.press('Verify')
    await sees('Valid: signed by this service and not changed.')
    const { body: passport } = await console.service.http('GET', `/agents/${market.agent.id}/passport`)
    const changed = { ...passport, capabilities: ['everything'] }
    const asFile = (content: string) => ({
      name: 'passport.json',
      mimeType: 'application/json',
      buffer: Buffer.from(content),
    })
    const file = page.getByLabel('Verify a file', { exact: true }).first()
    await file.setInputFiles(asFile(JSON.stringify(changed)))
    await sees('Not valid: it was changed')
    await file.setInputFiles(asFile('not JSON'))
    await sees('This file is not JSON.')
  })

  play('the badge is shown and copied as Markdown', '/trust', async ({ page, context }, hands) => {
    const { slug } = market.agent
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const image = page.getByRole('img', { name: 'Trust badge of Changelog editor' })
    await image.waitFor()
    assert.ok(await image.evaluate(isDrawn))
    await hands.choose('Markdown')
    await page.getByRole('button', { name: 'Copy: Text of the badge' }).click()
    const { baseUrl } = console.service
    assert.equal(
      await page.evaluate('navigator.clipboard.readText()'),
      `[![Trust badge of Changelog editor](${baseUrl}/agents/slug/${slug}/badge)](${baseUrl}/app/agents/${slug})`,
    )
    // As on a page that came over plain http.
    await page.evaluate('globalThis.clipboard = navigator.clipboard; delete Navigator.prototype.clipboard')
    await hands.choose('HTML')
    await page.getByRole('button', { name: 'Copy: Text of the badge' }).click()
    assert.match(await page.evaluate<string>('clipboard.readText()'), /^<a /)
  })

  play('a pause is undone by keyboard alone', '', async ({ keyboard, sees }) => {
    await keyboard.press('Pause')
    await sees('The agent is out of the catalog')
    await keyboard.press('Undo')
    await sees('Buyers can hire this agent.')
  })

  play('a changed listing gets its texts back', '/edit', async ({ page, sees, press }, hands) => {
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    await hands.type(name, 'Another name')
    await hands.press('Save')
    await page.getByRole('heading', { name: 'Another name', level: 1 }).waitFor()
    await press('Undo')
    await sees('The change was undone')
    await page.getByRole('heading', { name: 'Changelog editor', level: 1 }).waitFor()
    assert.equal(await name.inputValue(), 'Changelog editor')
  })

  for (const [label, save, path, limit] of [
    ['Most in a month', 'Save the budget', 'budget', 'monthlyLimit'],
    ['Most in a day', 'Save the autonomy', 'autonomy-policy', 'dailyLimit'],
  ] as const)
    play(`"${save}" is undone`, '/rules', async ({ page, press, sees }, hands) => {
      const { id, owner } = market.agent
      const limits = async () => {
        const { body } = await console.service.http<Record<typeof limit, string | null>>(
          'GET',
          `/agents/${id}/${path}`,
          { token: owner.token },
        )
        return body[limit]
      }
      await hands.type(label, '40')
      await hands.press(save)
      await sees('Saved')
      assert.equal(await limits(), '40.00')
      await press('Undo')
      await sees('The change was undone')
      assert.deepEqual([await limits(), await page.getByLabel(label).inputValue()], [null, ''])
    })

  console.play('the chart of earnings shows what was released', async visitor => {
    const { page, open, sees, signIn } = visitor
    await signIn(market.agent.owner)
    await open('/app/selling/earnings')
    await sees('$96.40')
    await page
      .getByRole('region', { name: 'Released by day' })
      .locator('.recharts-bar-rectangle path')
      .first()
      .waitFor()
    await page.getByText('90 days', { exact: true }).click()
    await settled(page)
    await page
      .getByRole('region', { name: 'Released by week' })
      .locator('.recharts-bar-rectangle path')
      .first()
      .waitFor()
    await signIn(await registerHuman(console.service))
    await open('/app/selling/earnings')
    await sees('You offer no agent yet')
  })
})
