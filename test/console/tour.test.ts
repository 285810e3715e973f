import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ConsoleMessage, Page } from 'playwright-core'
import { assertAccessible, assertAccessibleInTwo } from './support/checks.ts'
import { openConsole, WIDE, type ConsoleVisitor } from './support/console.ts'
import { SECTIONS } from './support/pages/index.ts'
import type { ConsolePage } from './support/pages/page-list.ts'
import { takeScreens } from './support/screens.ts'

/**
 * Every page: accessible in both color schemes and sizes, without an error in the browser's console. In each scheme at each size
 * the first page of a person in a section is.
 */
suite('pages of the console', () => {
  const console = openConsole()
  for (const [section, pagesOf] of Object.entries(SECTIONS))
    test(section, async context => {
      for (const pages of byPerson(await pagesOf(console.service)))
        await console.visit(async visitor => {
          const [{ as } = {}] = pages
          if (as) await visitor.signIn(as)
          for (const [at, page] of pages.entries())
            await context.test(page.name, () =>
              look(visitor, page, at ? assertAccessibleInTwo : assertAccessible),
            )
        })
    })
})

/** Pages in a row that one person opens: a sign-in and an empty browser for each page would cost as much as the page. */
function byPerson(pages: readonly ConsolePage[]): ConsolePage[][] {
  const visits: ConsolePage[][] = []
  for (const page of pages) {
    const last = visits.at(-1)
    if (last && last[0]?.as === page.as) last.push(page)
    else visits.push([page])
  }
  return visits
}

async function look(
  { page, open }: ConsoleVisitor,
  { name, path, isNotFound }: ConsolePage,
  check: (page: Page) => Promise<void>,
): Promise<void> {
  const messages: string[] = []
  const listen = (message: ConsoleMessage) => {
    const isExpected = isNotFound && message.text().includes('a status of 404')
    if (['error', 'warning'].includes(message.type()) && !isExpected) messages.push(message.text())
  }
  page.on('console', listen)
  await page.setViewportSize(WIDE)
  await open(path)
  await takeScreens(page, name)
  await check(page)
  page.off('console', listen)
  assert.deepEqual(messages, [])
}
