import assert from 'node:assert/strict'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { TestBrowser } from './browser.ts'
import type { TestService } from '../service/service.ts'

const WAIT = { timeout: 30_000 }
/** For a test in a browser: far more than the longest takes, so that one that hangs has a name. */
export const VISIT_LIMIT = { timeout: 240_000 }

/** What a person sees and does on a page; each waits until it is so. */
export interface Visitor {
  page: Page
  context: BrowserContext
  fill(fields: Record<string, string>): Promise<void>
  press(name: string): Promise<void>
  at(path: string): Promise<void>
  sees(text: string): Promise<void>
  heading(name: string): Promise<void>
}

/**
 * A tab for `work` as a visitor who was never here: without cookies and storage, the only tab of its browser context. What
 * the pages' scripts or policies break fails the test. With options beside the viewport the context is a new one: use it too
 * for what a context cannot give back, such as `addInitScript`.
 */
export async function visit(
  service: TestService,
  { tabs }: TestBrowser,
  work: (visitor: Visitor) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const tab = await tabs.take(service.baseUrl, options)
  const { context, page } = tab
  const errors: string[] = []
  context.on('weberror', error => errors.push(error.error().message))
  context.on('console', message => {
    if (/Content Security Policy|Refused to/.test(message.text())) errors.push(message.text())
  })
  try {
    await work(visitorOn(page, service.baseUrl))
    assert.deepEqual(errors, [])
    await tabs.giveBack(tab)
  } catch (error) {
    await context.close()
    throw error
  }
}

/** A visitor's view of one tab. */
export function visitorOn(page: Page, baseUrl: string): Visitor {
  page.setDefaultTimeout(WAIT.timeout)
  return {
    page,
    context: page.context(),
    fill: async fields => {
      for (const [label, value] of Object.entries(fields))
        await page.getByLabel(label, { exact: true }).filter({ visible: true }).fill(value)
    },
    // Enabled from the start: a button that is found before the page has its styles may be one that they hide.
    press: name =>
      page.getByRole('button', { name, exact: true, disabled: false }).filter({ visible: true }).click(),
    at: path => page.waitForURL(baseUrl + path, WAIT),
    sees: text => page.getByText(text).filter({ visible: true }).first().waitFor(WAIT),
    heading: name => page.getByRole('heading', { name, level: 1 }).waitFor(WAIT),
  }
}
