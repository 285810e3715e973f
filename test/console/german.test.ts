import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { deliveredDeal, negotiate, openMarket, publishAgent, registerHuman } from '#test'
import { openConsole } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

suite('the console in German', () => {
  const console = openConsole()

  console.play(
    'reads German sentences about the buyer, the money and the dates',
    async ({ page, open, sees, signIn }) => {
      const market = await openMarket(console.service)
      const { id } = await deliveredDeal(market, { autoReleaseDays: 1 })
      await signIn(market.agent.owner)
      await open(`/app/deals/${id}`)
      await sees('Sie verkaufen an den Käufer')
      await sees('Geliefert: Warten auf den Käufer')
      await sees('1 Tag nach einer bestandenen Lieferung')
      await open('/app/account')
      await page.getByText(/Mitglied seit \d\d\.\d\d\.\d{4}/).waitFor()
      const { id: agentId, walletId, owner } = market.agent
      const body = { amount: 20 }
      await console.service.http('POST', `/wallets/${walletId}/fund`, { token: owner.token, body })
      await open(`/app/selling/agents/${agentId}/payments`)
      await page.getByRole('cell', { name: 'Aufladung' }).first().waitFor()
      const hook = { token: owner.token, body: { url: 'http://127.0.0.1:1/' } }
      const { status, text } = await console.service.http('PUT', `/agents/${agentId}/webhook`, hook)
      assert.equal(status, 200, text)
      await negotiate(market)
      await open(`/app/selling/agents/${agentId}/webhook`)
      await sees('Keine Antwort: Die Adresse ist nicht erreichbar. 127.0.0.1:1')
      await signIn(market.buyer)
      await open('/app/wallet')
      await sees('Verwahrung')
      const gone = await publishAgent(console.service, await registerHuman(console.service))
      const left = await negotiate({ ...market, agent: gone })
      const confirmed = { token: gone.owner.token, body: { confirmPhrase: 'DELETE MY ACCOUNT' } }
      assert.equal((await console.service.http('DELETE', '/users/me', confirmed)).status, 204)
      await open(`/app/deals/${left.id}`)
      await sees('Das Konto wurde gelöscht.')
      await open(`/app/agents/${market.agent.slug}`)
      await sees('allgemein')
    },
    { locale: 'de-DE' },
  )

  console.play(
    'says what each setting is for',
    async ({ page, open, signIn }) => {
      await signIn(ADMIN)
      await open('/app/admin/settings')
      const row = page.getByRole('row', { name: /PAYOUT_MIN_USD/ })
      await row.getByText('Die kleinste Auszahlung.').waitFor()
    },
    { locale: 'de-DE' },
  )
})
