import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { assertAccessible } from './support/checks.ts'
import { openConsole } from './support/console.ts'
import { SECTIONS } from './support/pages/index.ts'
import { takeScreens } from './support/screens.ts'

/** Every page: accessible in both color schemes and sizes, without an error in the browser's console. */
suite('pages of the console', () => {
  const console = openConsole()
  for (const [section, pagesOf] of Object.entries(SECTIONS))
    test(section, async context => {
      for (const { name, path, as, isNotFound } of await pagesOf(console.service))
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
            await assertAccessible(page)
            assert.deepEqual(messages, [])
          }),
        )
    })
})
