import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { sql } from '#platform/kernel/sql'
import { openMarket, registerHuman, reservedDeal, suspendMoney, type TestService } from '#test'
import { openConsole, settled, type ConsoleVisitor } from './support/console.ts'
import { ADMIN, setDesk, submittedAgent, type Desk } from './support/desk.ts'

/** What a hand does on the page: with the mouse, or with the keyboard alone. */
interface Hand {
  press(name: string, role?: 'button' | 'link'): Promise<void>
  /** The button of the dialog, whose name a button of the page may have too. */
  confirm(name: string): Promise<void>
  type(label: string, text: string): Promise<void>
  /** Chooses the last of the radio buttons, which is the one of this name. */
  lastRadio(name: string): Promise<void>
  /** Finds an option by typing; an empty text opens the list. */
  choose(label: string, text: string, option: RegExp): Promise<void>
}

const mouse = ({ page }: ConsoleVisitor): Hand => ({
  press: (name, role = 'button') =>
    page.getByRole(role, { name, exact: true }).filter({ visible: true }).first().click(),
  confirm: name => page.getByRole('dialog').getByRole('button', { name, exact: true }).click(),
  type: (label, text) => page.getByLabel(label, { exact: true }).filter({ visible: true }).first().fill(text),
  lastRadio: name => page.getByRole('radio', { name, exact: true }).check(),
  choose: async (label, text, option) => {
    const field = page.getByRole('combobox', { name: label }).filter({ visible: true })
    await field.click()
    if (text) await field.fill(text)
    await page.getByRole('option', { name: option }).click()
  },
})

const keys = ({ page, keyboard }: ConsoleVisitor): Hand => ({
  press: (name, role) => keyboard.press(name, role),
  confirm: async name => {
    await keyboard.reach(page.getByRole('dialog').getByRole('button', { name, exact: true }))
    await page.keyboard.press('Enter')
  },
  type: (label, text) => keyboard.type(label, text),
  lastRadio: async name => {
    await keyboard.reach(page.getByRole('radio', { checked: true }))
    const wanted = page.getByRole('radio', { name, exact: true })
    for (let presses = 0; presses < 3 && !(await wanted.isChecked()); presses++)
      await page.keyboard.press('ArrowDown')
  },
  choose: async (label, text, option) => {
    await keyboard.reach(page.getByRole('combobox', { name: label }).filter({ visible: true }))
    if (text) await page.keyboard.type(text)
    else await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: option }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
  },
})

const PLAYS = { 'with the mouse': mouse, 'with the keyboard alone': keys }

suite('the day of an operator', () => {
  const console = openConsole()
  for (const [how, handOf] of Object.entries(PLAYS))
    console.play(`reviews, resolves, assigns and approves ${how}`, async visitor => {
      const desk = await setDesk(console.service)
      await visitor.signIn(ADMIN)
      await visitor.open('/app/admin')
      const hand = handOf(visitor)
      await approveAgent(visitor, hand, desk)
      await splitDispute(visitor, hand, desk)
      await assignSuspense(visitor, hand, desk)
      await approveTransfer(visitor, hand, desk)
      await assertDone(console.service, desk)
    })

  console.play('chooses an account by keyboard while the search still runs', async visitor => {
    const { page, keyboard, signIn, open } = visitor
    const customer = await registerHuman(console.service)
    const { token } = customer
    await console.service.http('PATCH', '/users/me', { token, body: { displayName: 'Katherine Johnson' } })
    await suspendMoney(console.service, customer, 990)
    await signIn(ADMIN)
    await open('/app/admin/suspense')
    await keyboard.press('Assign: $9.90')
    const account = page.getByRole('combobox', { name: 'Account' })
    await keyboard.reach(account)
    await page.keyboard.type('Katherine')
    await page.getByRole('option', { name: /Katherine Johnson/ }).waitFor()
    const answer = Promise.withResolvers<void>()
    const asked = page.waitForRequest(/search=Katherine[+%20]+J/)
    await page.route(/search=Katherine[+%20]+J/, async route => {
      await answer.promise
      await route.continue()
    })
    await page.keyboard.type(' J')
    await asked
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    assert.match(await account.inputValue(), /^Katherine Johnson \(/)
    answer.resolve()
    // The list still has the account that was chosen.
    await page.keyboard.press('ArrowDown')
    await page.getByRole('option', { name: /Katherine Johnson/ }).waitFor()
    await page.keyboard.press('Escape')
    await mouse(visitor).choose('Wallet', '', /main wallet/)
  })

  console.play('decides on the share that was typed, also over a cleared field', async visitor => {
    const { page, signIn, open } = visitor
    const { disputed } = await setDesk(console.service)
    await signIn(ADMIN)
    await open(`/app/admin/escrows/${disputed.escrowId}`)
    await mouse(visitor).lastRadio('Split between both')
    const share = page.getByLabel("Seller's share", { exact: true })
    const typed = async (text: string): Promise<string> => {
      await share.press('ControlOrMeta+a')
      await share.press('Backspace')
      await share.pressSequentially(text)
      return share.inputValue()
    }
    const decide = page.getByRole('button', { name: 'Decide', exact: true })
    assert.equal(await typed('30'), '30 %')
    await page.getByText('$30.00', { exact: true }).first().waitFor()
    assert.equal(await typed('0.5'), '0.5 %')
    await page.getByText('$99.50', { exact: true }).first().waitFor()
    assert.equal(await decide.isEnabled(), true)
    await typed('')
    assert.equal(await decide.isDisabled(), true)
  })

  console.play(
    'finds the deals that wait for a payment, of whatever kind',
    async ({ page, signIn, open }) => {
      const { escrow } = await reservedDeal(await openMarket(console.service), {
        requestedService: 'A deal without a payment',
      })
      await signIn(ADMIN)
      await open('/app/admin/escrows?status=PENDING_FUNDING')
      const row = page.getByRole('row').filter({ hasText: 'A deal without a payment' })
      await row.getByText('Waiting for payment').waitFor()
      await open(`/app/admin/escrows/${escrow.id}`)
      await page.getByText('Escrow: Reserve → Waiting for payment').waitFor()
    },
  )

  console.play('reads that the list of accounts leaves out deleted ones', async ({ page, signIn, open }) => {
    await signIn(ADMIN)
    await open('/app/admin/users')
    const state = page.getByLabel('State')
    await state
      .getByRole('option', { name: 'All but deleted ones', selected: true })
      .waitFor({ state: 'attached' })
  })

  console.play('chooses each state of a list from one entry', async ({ page, signIn, open }) => {
    await signIn(ADMIN)
    for (const list of ['escrows', 'agents', 'approvals']) {
      await open(`/app/admin/${list}`)
      const states = await page.getByLabel('State').getByRole('option').allTextContents()
      assert.deepEqual(states, [...new Set(states)], list)
    }
  })

  console.play('reviews no agent of their own', async ({ page, signIn, open }) => {
    const own = await submittedAgent(console.service, await console.service.adminToken(), 'Own reader')
    const other = await registerHuman(console.service)
    await submittedAgent(console.service, other.token, 'Other reader')
    await signIn(ADMIN)
    await open('/app/admin/agents')
    await page.getByRole('button', { name: 'Approve: Other reader' }).waitFor()
    await page.getByText('Another admin reviews your agent').filter({ visible: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve: Own reader' }).count(), 0)
    assert.equal(await page.getByRole('button', { name: 'Reject: Own reader' }).count(), 0)
    await console.service.services.db.run(sql`
      update agents_agent set status = 'ACTIVE', trust_tier = 'VERIFIED' where id = ${own}`)
    await open('/app/admin/agents?status=ACTIVE')
    await page.getByRole('link', { name: 'Own reader' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Trust: Own reader' }).count(), 0)
  })

  console.play('decides nothing about their own affiliate profile', async ({ page, signIn, open }) => {
    const apply = (token: string, displayName: string) =>
      console.service.http('POST', '/affiliates/apply', { token, body: { displayName, acceptTerms: true } })
    await apply(await console.service.adminToken(), 'Own newsletter')
    await apply((await registerHuman(console.service)).token, 'Other newsletter')
    await signIn(ADMIN)
    await open('/app/admin/affiliates')
    await page.getByRole('button', { name: 'Approve: Other newsletter' }).waitFor()
    await page.getByText('Another admin decides about your profile').filter({ visible: true }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Approve: Own newsletter' }).count(), 0)
  })

  console.play('the agents of an account have pages', async ({ page, signIn, open }) => {
    const { id, token } = await registerHuman(console.service)
    for (let n = 1; n <= 26; n++)
      await console.service.http('POST', '/agents', { token, body: { name: `Agent ${n} of many` } })
    await signIn(ADMIN)
    await open(`/app/admin/users/${id}`)
    const agents = page.getByRole('table', { name: 'Agents' }).getByRole('link')
    await agents.first().waitFor()
    assert.equal(await agents.count(), 25)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByText('26 to 26 of 26').waitFor()
    assert.equal(await agents.count(), 1)
  })
})

/** Waits for what the page says, and for its lists. */
async function said({ page }: ConsoleVisitor, text: string): Promise<void> {
  await page.getByText(text, { exact: true }).filter({ visible: true }).waitFor()
  await settled(page)
}

async function approveAgent(visitor: ConsoleVisitor, hand: Hand, { agent: { name } }: Desk): Promise<void> {
  await hand.press('Agents to review', 'link')
  await hand.press(`Approve: ${name}`)
  await hand.type('Notes to the owner (optional)', 'Good examples')
  await hand.confirm('Approve')
  await said(visitor, `${name} is live`)
}

async function splitDispute(visitor: ConsoleVisitor, hand: Hand, { disputed }: Desk): Promise<void> {
  const { page } = visitor
  await hand.press('Disputes', 'link')
  await hand.press(disputed.service, 'link')
  await page.getByText('Two chapters are missing', { exact: true }).first().waitFor()
  await page.getByText('They were not in the file that I got').first().waitFor()
  await hand.lastRadio('Split between both')
  await hand.type("Seller's share", '62.5')
  await page.getByText('$62.50').first().waitFor()
  await page.getByText('$37.50').first().waitFor()
  await hand.press('Decide')
  await page.getByRole('dialog').getByText('$100.00').waitFor()
  await hand.type('Statement to both parties', 'Two of eight chapters are missing')
  await hand.confirm('Decide')
  await said(visitor, 'Decided: the money was moved')
}

async function assignSuspense(visitor: ConsoleVisitor, hand: Hand, desk: Desk): Promise<void> {
  await hand.press('Unassigned money', 'link')
  await hand.press('Assign: $12.50')
  await hand.choose('Account', desk.customer.name, new RegExp(desk.customer.name))
  await hand.choose('Wallet', '', /main wallet/)
  await hand.type('Reason', 'The customer named the payment')
  await hand.confirm('Assign')
  await said(visitor, 'Assigned')
}

async function approveTransfer(visitor: ConsoleVisitor, hand: Hand, desk: Desk): Promise<void> {
  const { page } = visitor
  await hand.press('Approvals', 'link')
  await page.getByText('Settlement 17').waitFor()
  await hand.press('Approve: Transfer between wallets')
  await page.getByRole('dialog').getByText('$1,500.00').waitFor()
  await hand.type('Reason (optional)', `Checked ${desk.approval.id}`)
  await hand.confirm('Approve')
  await said(visitor, 'Approved')
}

async function assertDone(service: TestService, desk: Desk): Promise<void> {
  const read = async <Body>(path: string): Promise<Body> =>
    (await service.http<Body>('GET', path, { token: desk.admin })).body
  assert.equal((await read<{ status: string }>(`/agents/${desk.agent.id}`)).status, 'ACTIVE')
  const escrow = await read<{ status: string; released: string; refunded: string }>(
    `/payments/escrow/${desk.disputed.escrowId}`,
  )
  assert.deepEqual([escrow.status, escrow.released, escrow.refunded], ['SPLIT', '62.50', '37.50'])
  const { items } = await read<{ items: { id: string; resolution: string }[] }>('/admin/suspense?limit=100')
  assert.equal(items.find(({ id }) => id === desk.suspended.id)?.resolution, 'ASSIGNED')
  const approvals = await read<{ items: { id: string; status: string }[] }>('/admin/approvals?limit=100')
  assert.equal(approvals.items.find(({ id }) => id === desk.approval.id)?.status, 'APPROVED')
  // What was assigned and what was approved is in the wallet of the customer.
  const path = `/admin/wallets?accountId=${desk.customer.id}`
  const wallets = await read<{ items: { currency: string; available: string }[] }>(path)
  assert.equal(wallets.items.find(({ currency }) => currency === 'USD')?.available, '1512.50')
}
