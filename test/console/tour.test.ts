import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible, assertAccessibleInTwo } from './support/checks.ts'
import { openConsole } from './support/console.ts'
import { SECTIONS } from './support/pages/index.ts'
import { takeScreens } from './support/screens.ts'

/**
 * Every page: accessible, without an error in the browser's console. axe sees the first page of each person in a section in both
 * color schemes at both sizes, the others in each scheme and each size once.
 */
suite('pages of the console', () => {
  const console = openConsole()
  for (const [section, pagesOf] of Object.entries(SECTIONS))
    test(section, async context => {
      const pages = await pagesOf(console.service)
      for (const [at, { name, path, as, isNotFound }] of pages.entries()) {
        const isFirst = !at || pages[at - 1]?.as !== as
        await context.test(name, () =>
          console.visit(async ({ page, open, signIn }) => {
            const messages: string[] = []
            page.on('console', message => {
              const isExpected = isNotFound && message.text().includes('a status of 404')
              if (['error', 'warning'].includes(message.type()) && !isExpected) messages.push(message.text())
            })
            if (as) await signIn(as)
            await open(path)
            await takeScreens(page, name)
            await (isFirst ? assertAccessible(page) : assertAccessibleInTwo(page))
            assert.deepEqual(messages, [])
          }),
        )
      }
    })
})
