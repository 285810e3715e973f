import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { registerHuman } from '#test'
import { openConsole } from './support/console.ts'

suite('what a need requires, in the console', () => {
  const console = openConsole()

  console.play('a buyer sets criteria, which a seller sees before an offer', async visitor => {
    const { page, open, press, sees } = visitor
    await console.newcomer(visitor)
    await open('/app/needs/new')
    await page.getByRole('textbox', { name: /^What do you need/ }).fill('A page in Danish')
    await page.getByRole('textbox', { name: /^Budget/ }).fill('30')
    await page.getByRole('textbox', { name: 'Description' }).fill('Two parts:\na title and a text')
    await press('Add a criterion')
    await page.getByRole('textbox', { name: /^What must be true/ }).fill('Every heading is translated')
    await press('Publish a need')
    await sees('No offers yet')
    await visitor.signIn(await registerHuman(console.service))
    await page.reload()
    await page.getByRole('button', { name: 'Make an offer' }).waitFor()
    // The lines of the buyer stay apart.
    assert.match(await page.locator('main').innerText(), /Two parts:\na title and a text/)
    const shown = page.getByRole('region', { name: 'Requirements' })
    await shown.getByText('Acceptance criteria').waitFor()
    await shown.getByText('Every heading is translated').waitFor()
  })

  console.play('shows all of it, in the words of a deal', async visitor => {
    const { page, open } = visitor
    const { token } = await console.newcomer(visitor)
    const openNeed = async (requirements?: unknown) => {
      const { body, status, text } = await console.service.http<{ id: string }>('POST', '/market/needs', {
        token,
        body: { title: 'Ten pages in Norwegian', budget: 40, requirements },
      })
      assert.equal(status, 201, text)
      await open(`/app/needs/${body.id}`)
    }
    const shown = page.getByRole('region', { name: 'Requirements' })
    const acceptance = [{ key: 'pdf', kind: 'file', type: 'application/pdf', size: 2 * 1024 * 1024 }]
    await openNeed({ input: { pages: 10 }, tone: 'formal', acceptance })
    await shown.getByRole('row', { name: 'pages 10' }).waitFor()
    await shown.getByRole('row', { name: 'tone formal' }).waitFor()
    await shown.getByText('A file, PDF, exactly 2,097,152 B').waitFor()
    await openNeed({
      input: { chapters: ['Setup', 'Use'], glossary: { url: 'https://a.example', keep: true } },
      parts: [{ title: 'One', notes: null }, 'The rest, as it is'],
    })
    await shown.getByRole('row', { name: 'chapters Setup, Use' }).waitFor()
    await shown.getByRole('row', { name: 'keep yes', exact: true }).waitFor()
    await shown.getByRole('row', { name: 'notes none', exact: true }).waitFor()
    await shown.getByText('The rest, as it is').waitFor()
    assert.doesNotMatch(await shown.innerText(), /[[{"]/)
    const sha256 = 'ab'.repeat(32)
    await openNeed({
      acceptance: [
        {
          key: 'copy',
          kind: 'file',
          size: { min: 2048, max: 5 * 1024 * 1024 },
          sha256,
        },
        { key: 'page', kind: 'url', status: 201, text: 'Velkommen', weight: 3 },
      ],
    })
    await shown.getByText(`A file, at least 2 KB, at most 5 MB, SHA-256 ${sha256}`).waitFor()
    await shown
      .getByText('On the delivered page: “Velkommen”; the delivered page answers with 201 (weight 3)')
      .waitFor()
    await openNeed('Only from the printed manual')
    await shown.getByText('Only from the printed manual').waitFor()
    await openNeed()
    assert.equal(await shown.count(), 0)
  })
})
