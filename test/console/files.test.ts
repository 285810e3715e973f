import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { heldDeal, openMarket } from '#test'
import { openConsole } from './support/console.ts'
import { uploadFile } from './support/upload-file.ts'

suite('the files of a seller in the console', () => {
  const console = openConsole()

  console.play('are listed, and deleted where no delivery contains them', async visitor => {
    const { page, open, press } = visitor
    const market = await openMarket(console.service)
    const { owner } = market.agent
    const { id } = await heldDeal(market)
    await uploadFile(console.service, owner, 'Draft that nobody got.txt')
    const vaultId = await uploadFile(console.service, owner, 'Report.pdf')
    const { status, text } = await console.service.http('POST', '/ap2/deliver', {
      token: owner.token,
      body: { negotiationId: id, artifacts: [{ name: 'Report.pdf', vaultId }] },
    })
    assert.equal(status, 201, text)
    await visitor.signIn(owner)
    await open('/app/selling/files')
    const delivered = page.getByRole('row', { name: /Report.pdf/ })
    await delivered.getByText('2 KB').waitFor()
    await delivered.getByText('In a delivery').waitFor()
    assert.equal(await delivered.getByRole('button').count(), 0)
    await press('Delete Draft that nobody got.txt')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Draft that nobody got.txt').first().waitFor({ state: 'detached' })
    const { body } = await console.service.http<{ items: { name: string }[] }>('GET', '/vault', {
      token: owner.token,
    })
    assert.deepEqual(
      body.items.map(({ name }) => name),
      ['Report.pdf'],
    )
  })
})
