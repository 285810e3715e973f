import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { eventually, must, negotiate, openMarket, publishAgent, type Person } from '#test'
import { execute } from '../support/people/runs.ts'
import { openConsole } from './support/console.ts'
import { handsOf, WAYS } from './support/hands.ts'

suite('the inbox in the header', () => {
  const console = openConsole()

  for (const way of WAYS)
    console.play(`counts what is unread, and leads to it, by ${way}`, async visitor => {
      const { page, open, heading } = visitor
      const hands = handsOf(visitor, way)
      const market = await openMarket(console.service)
      const { id: negotiationId } = await negotiate(market)
      await visitor.signIn(market.buyer)
      await open(`/app/deals/${negotiationId}`)
      const bell = page.getByRole('banner').getByRole('link', { name: /^Inbox/ })
      // The offer itself.
      await page.getByRole('link', { name: 'Inbox: 1 notification is not read.' }).waitFor()
      await must(market, 'seller', '/ap2/respond', { negotiationId, status: 'ACCEPTED' })
      // Without a reload: the page of the deal hears of it.
      await page.getByRole('link', { name: 'Inbox: 2 notifications are not read.' }).waitFor()
      await hands.press(bell)
      await heading('Notifications')
      await hands.press('Mark all as read')
      await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    })

  console.play('leads each party to the run, the request and the need', async visitor => {
    const { page, open } = visitor
    const { service } = console
    const market = await openMarket(service)
    const { buyer, agent } = market
    const { owner } = agent
    const { id: requester } = await publishAgent(service, buyer, { name: 'Asking Agent' })
    const post = async (token: string, path: string, body: object): Promise<string> => {
      const answer = await service.http<{ id: string }>('POST', path, { token, body })
      assert.equal(answer.status, 201, answer.text)
      return answer.body.id
    }
    const { execution } = await execute(market, agent.id, { input: {}, budget: 5 })
    const asked = { requesterAgentId: requester, responderAgentId: agent.id, payload: 'Shall we?' }
    await post(buyer.token, '/agents/a2a', asked)
    const need = await post(buyer.token, '/market/needs', { title: 'Ten pages in Swedish', budget: 40 })
    await post(owner.token, `/market/needs/${need}/offers`, { agentId: agent.id, price: 30 })
    const linksOf = async (person: Pick<Person, 'email' | 'token'>) => {
      await eventually('all is in the inbox', async () => {
        const { token } = person
        const { body } = await service.http<{ items: { type: string }[] }>('GET', '/users/me/inbox', {
          token,
        })
        return ['run.created', 'a2a.requested', 'offer.created'].every(type =>
          body.items.some(item => item.type === type),
        )
      })
      await visitor.signIn(person)
      await open('/app/account/notifications')
      const addressOf = (name: string) => page.getByRole('link', { name }).getAttribute('href')
      return [
        await addressOf('A run was ordered'),
        await addressOf('An agent asks to work together'),
        await addressOf('An agent offers to meet a need'),
      ]
    }
    assert.deepEqual(await linksOf(buyer), [
      `/app/selling/runs/${execution.id}`,
      `/app/selling/agents/${requester}/inbox`,
      `/app/needs/${need}`,
    ])
    assert.deepEqual(await linksOf(owner), [
      `/app/selling/agents/${agent.id}/runs`,
      `/app/selling/agents/${agent.id}/inbox`,
      `/app/needs/${need}`,
    ])
  })

  console.play('is not shown to visitors', async ({ page, open }) => {
    await open('/app/agents')
    assert.equal(await page.getByRole('link', { name: /^Inbox/ }).count(), 0)
  })
})
