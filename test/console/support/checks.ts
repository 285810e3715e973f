import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { drawn, NARROW, showIn, WIDE } from './console.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The smallest screen without sideways scrolling (WCAG 1.4.10). Only measured: what axe finds is found at 390 px. */
const NARROWEST = { width: 320, height: 640 }

/** Every rule of axe. */
const ALL: RunOptions = {}
/** The rules of axe whose result depends on the colors of the page. The others read the same document in both schemes. */
const OF_COLOR: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

interface Look {
  colorScheme: 'light' | 'dark'
  rules: RunOptions
  viewports: readonly { width: number; height: number }[]
}

/** Each change of the size or the colors draws the page anew: they change as seldom as possible. */
const EACH_LOOK: readonly Look[] = [
  { colorScheme: 'light', rules: ALL, viewports: [WIDE, NARROW] },
  { colorScheme: 'dark', rules: OF_COLOR, viewports: [NARROW, WIDE] },
]
/** Both sizes and both color schemes, each once. */
const TWO_LOOKS: readonly Look[] = [
  { colorScheme: 'light', rules: ALL, viewports: [WIDE] },
  { colorScheme: 'dark', rules: ALL, viewports: [NARROW] },
]

/** The page in both color schemes at both sizes: axe finds nothing. Nothing scrolls sideways, on small screens too. */
export const assertAccessible = (page: Page): Promise<void> => assertLooks(page, EACH_LOOK)

/**
 * The same in light colors on a wide screen and in dark ones on a narrow screen, in half of the time: for pages whose frame
 * and components are those of another page, on which `assertAccessible` looks at all.
 */
export const assertAccessibleInTwo = (page: Page): Promise<void> => assertLooks(page, TWO_LOOKS)

async function assertLooks(page: Page, looks: readonly Look[]): Promise<void> {
  // A page that was reached by a link has it already: to read half a megabyte takes as long as to look.
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE)
  for (const { colorScheme, rules, viewports } of looks) {
    await showIn(page, colorScheme)
    for (const viewport of viewports) {
      await page.setViewportSize(viewport)
      await drawn(page)
      await assertFits(page, viewport.width)
      assert.deepEqual(await violations(page, rules), [], `at ${viewport.width} px in ${colorScheme} colors`)
    }
  }
  await page.setViewportSize(NARROWEST)
  await assertFits(page, NARROWEST.width)
}

async function violations(page: Page, rules: RunOptions): Promise<string[]> {
  // As text: the tests are compiled without the types of a browser.
  const found = await page.evaluate<Result[]>(
    `axe.run(document, ${JSON.stringify({ ...rules, resultTypes: ['violations'], preload: false })}).then(({ violations }) => violations)`,
  )
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map(
      ({ html, failureSummary }) => `${id}: ${help}: ${html.slice(0, 200)} (${failureSummary ?? ''})`,
    ),
  )
}

async function assertFits(page: Page, width: number): Promise<void> {
  const needed = await page.evaluate<number>('document.documentElement.scrollWidth')
  assert.ok(needed <= width, `the page is ${needed} px wide at ${width} px`)
}
