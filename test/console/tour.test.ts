import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import type { ConsoleMessage } from 'playwright-core'
import { assertAccessible, assertAccessibleInTwo } from './support/checks.ts'
import { openConsole, type ConsoleVisitor } from './support/console.ts'
import { SECTIONS } from './support/pages/index.ts'
import type { ConsolePage } from './support/pages/page-list.ts'
import { takeScreens } from './support/screens.ts'

/**
 * Every page: accessible, without an error in the browser's console. axe sees the first page of each person in a section in both
 * color schemes at both sizes, the others in each scheme and each size once. A person loads the first page, and goes on to the
 * others as by links: to load each one costs as much processor time as axe.
 */
suite('pages of the console', () => {
  const console = openConsole()
  for (const [section, pagesOf] of Object.entries(SECTIONS))
    test(section, async context => {
      let previous: ConsolePage | undefined
      for (const pages of byPerson(await pagesOf(console.service)))
        await console.visit(async visitor => {
          const [{ as } = {}] = pages
          if (as) await visitor.signIn(as)
          for (const page of pages) {
            const isFirst = previous?.as !== as || !previous
            const load = page === pages[0] ? visitor.open : visitor.follow
            await context.test(page.name, () => assertPage(visitor, page, { load, isFirst }))
            previous = page
          }
        })
    })
})

/** In their order: pages of the console that follow one another for the same person are together, each other page is alone. */
function byPerson(pages: readonly ConsolePage[]): ConsolePage[][] {
  const groups: ConsolePage[][] = []
  for (const page of pages) {
    const last = groups.at(-1)
    if (page.as && last?.[0]?.as === page.as) last.push(page)
    else groups.push([page])
  }
  return groups
}

async function assertPage(
  { page }: ConsoleVisitor,
  { name, path, isNotFound }: ConsolePage,
  { load, isFirst }: { load(path: string): Promise<void>; isFirst: boolean },
): Promise<void> {
  const messages: string[] = []
  const listen = (message: ConsoleMessage) => {
    const isExpected = isNotFound && message.text().includes('a status of 404')
    if (['error', 'warning'].includes(message.type()) && !isExpected) messages.push(message.text())
  }
  page.on('console', listen)
  await load(path)
  await takeScreens(page, name)
  await (isFirst ? assertAccessible(page) : assertAccessibleInTwo(page))
  page.off('console', listen)
  assert.deepEqual(messages, [])
}
