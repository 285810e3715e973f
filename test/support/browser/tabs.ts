import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'

/** A tab that is the only one of its browser context. */
export interface Tab {
  context: BrowserContext
  page: Page
  baseURL: string
  /** Its context has options of its own. */
  isSpecial: boolean
}

type Viewport = BrowserContextOptions['viewport']

const VIEWPORT = { width: 1280, height: 720 }
/** Each frame of an animation is drawn by the processor. A test that needs them asks for `no-preference`. */
const MOTION = { reducedMotion: 'reduce' } as const
/** A small page of the service that runs no script: only a page of the origin can clear the storage of the tab. */
const PLAIN_PAGE = '/healthz'
/** What visitors listen to. Playwright itself listens to `close`: without that listener a context never ends. */
const EVENTS = [
  'console',
  'crash',
  'dialog',
  'page',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'weberror',
]
const CLEAR_STORAGE = 'localStorage.clear(); sessionStorage.clear()'

/**
 * Tabs that are used again after they were emptied. A new one costs twice the processor time of the page in it: its process
 * starts, and compiles scripts that another one has compiled.
 */
export class Tabs {
  readonly #browser: Browser
  #idle: Tab[] = []

  constructor(browser: Browser) {
    this.#browser = browser
  }

  async take(baseURL: string, { viewport = VIEWPORT, ...rest }: BrowserContextOptions): Promise<Tab> {
    const isSpecial = Object.keys(rest).length > 0
    const idle = isSpecial ? undefined : this.#idle.find(tab => tab.baseURL === baseURL)
    if (!idle) return this.#open({ baseURL, viewport, ...rest }, isSpecial)
    this.#idle = this.#idle.filter(tab => tab !== idle)
    await show(idle.page, viewport)
    return idle
  }

  /** Empties the tab, for another visitor. One that cannot be emptied is closed, such as after its service has stopped. */
  async giveBack(tab: Tab): Promise<void> {
    const isEmpty = !tab.isSpecial && !tab.page.isClosed() && (await empty(tab).catch(() => false))
    if (!isEmpty) return tab.context.close()
    this.#idle.push(tab)
  }

  async #open(options: BrowserContextOptions & { baseURL: string }, isSpecial: boolean): Promise<Tab> {
    const context = await this.#browser.newContext({ ...MOTION, ...options })
    return { context, page: await context.newPage(), baseURL: options.baseURL, isSpecial }
  }
}

/** As a new context of `Tabs` shows its pages. */
async function show(page: Page, viewport: Viewport): Promise<void> {
  if (viewport) await page.setViewportSize(viewport)
  await page.emulateMedia({ media: null, colorScheme: 'light', ...MOTION })
}

async function empty({ context, page }: Tab): Promise<true> {
  for (const other of context.pages()) if (other !== page) await other.close()
  for (const event of EVENTS) {
    context.removeAllListeners(event)
    page.removeAllListeners(event)
  }
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.setOffline(false)
  // A page that is about to leave for another can still do so during the first of the two.
  await page.goto('about:blank')
  await page.goto(PLAIN_PAGE)
  await page.evaluate(CLEAR_STORAGE)
  await context.clearCookies()
  await context.clearPermissions()
  return true
}
