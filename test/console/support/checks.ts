import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Result, RunOptions } from 'axe-core'
import type { Page } from 'playwright-core'
import { NARROW, showIn, WIDE } from './console.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** The smallest screen without sideways scrolling (WCAG 1.4.10). Only measured: what axe finds is found at 390 px. */
const NARROWEST = { width: 320, height: 640 }

/** Every rule of axe. */
const ALL: RunOptions = {}
/** The rules of axe whose result depends on the colors of the page. The others read the same document in both schemes. */
const OF_COLOR: RunOptions = {
  runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] },
}

/** The page in both color schemes at both sizes: axe finds nothing. Nothing scrolls sideways, on small screens too. */
export async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(AXE)
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport)
    await assertFits(page, viewport.width)
    for (const [colorScheme, rules] of [
      ['light', ALL],
      ['dark', OF_COLOR],
    ] as const) {
      await showIn(page, colorScheme)
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
