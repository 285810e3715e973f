import assert from 'node:assert/strict'
import { suite } from 'node:test'
import { acceptedDeal, openMarket, publishAgent } from '#test'
import { NARROW, openConsole, WIDE } from './support/console.ts'

/** Longer than a narrow screen. */
const WORD = 'Donaudampfschifffahrtsgesellschaftsverwaltungsangestelltenverband'

suite('one long word as a name in the console', () => {
  const console = openConsole()

  console.play('does not make a page wider than its screen', async visitor => {
    const { page, open } = visitor
    const market = await openMarket(console.service)
    const { owner } = market.agent
    const agent = await publishAgent(console.service, owner, { name: WORD, description: WORD.repeat(2) })
    const slug = `works-${market.buyer.id.slice(-8)}`
    const { status, text } = await console.service.http('POST', '/organizations', {
      token: market.buyer.token,
      body: { name: WORD, slug },
    })
    assert.equal(status, 201, text)
    const { id } = await acceptedDeal(
      { ...market, agent },
      { requestedService: WORD, requirements: { [WORD]: WORD } },
    )
    const pages = [
      [market.buyer, [`/app/deals/${id}`, `/app/agents/${agent.slug}`, `/app/organizations/${slug}`]],
      [
        owner,
        [`/app/selling/agents/${agent.id}`, `/app/selling/agents/${agent.id}/edit`, `/app/deals/${id}`],
      ],
    ] as const
    for (const [person, paths] of pages) {
      await visitor.signIn(person)
      for (const path of paths) {
        await open(path)
        for (const viewport of [WIDE, NARROW]) {
          await page.setViewportSize(viewport)
          const width = await page.evaluate<number>('document.documentElement.scrollWidth')
          assert.ok(width <= viewport.width, `${path} is ${width} px wide at ${viewport.width} px`)
        }
      }
    }
  })

  console.play(
    'shows the long labels of German buttons on a phone without scrolling sideways',
    async ({ page, signIn, open }) => {
      const { buyer } = await openMarket(console.service)
      await signIn(buyer)
      await page.setViewportSize(NARROW)
      await open('/app/account')
      const button = page.getByRole('button', { name: 'Bestätigung der Adresse noch einmal senden' })
      await button.waitFor()
      // As long as in the wider font of another device.
      await page.evaluate(`
        const labels = document.querySelectorAll('main .mantine-Button-label')
        for (const label of labels) if (label.textContent.startsWith('Bestätigung')) label.textContent += ' lassen'`)
      const width = await page.evaluate<number>('document.documentElement.scrollWidth')
      assert.ok(width <= NARROW.width, `the page is ${width} px wide`)
    },
    { locale: 'de' },
  )

  console.play(
    'leaves the labels of buttons and links whole and in their middle on a phone',
    async visitor => {
      const { page, open } = visitor
      const { agent } = await openMarket(console.service)
      await visitor.signIn(agent.owner)
      await page.setViewportSize({ width: 375, height: 700 })
      for (const path of [`/app/selling/agents/${agent.id}`, '/app/developer/usage']) {
        await open(path)
        const wrong = await page.evaluate<string[]>(`
        [...document.querySelectorAll('main .mantine-Button-label')].flatMap(label => {
          const [text, root] = [document.createRange(), label.closest('.mantine-Button-root')]
          text.selectNodeContents(label)
          const [a, b] = [text, root].map(each => each.getBoundingClientRect())
          const isCut = label.scrollHeight > label.clientHeight && getComputedStyle(label).overflowY !== 'visible'
          const offset = Math.abs(a.top + a.bottom - b.top - b.bottom) / 2
          return a.height && (isCut || offset > 3) ? [label.textContent] : []
        })`)
        assert.deepEqual(wrong, [], path)
      }
    },
  )
})
