import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import {
  registerHuman,
  sharedService,
  startBrowser,
  visit,
  VISIT_LIMIT,
  type Person,
  type TestBrowser,
  type TestService,
  type Visitor,
} from '#test'
import { handsOf, type Hands } from './hands.ts'
import { Keyboard } from './keyboard.ts'

/** The password of `registerHuman`. */
export const PASSWORD = 'correct horse battery staple'
export const WIDE = { width: 1280, height: 900 }
export const NARROW = { width: 390, height: 844 }

export interface ConsoleVisitor extends Visitor {
  /** Drives the page without a pointer. */
  keyboard: Keyboard
  /** Opens a page and waits until its content is there. */
  open(path: string): Promise<void>
  /** Goes on to another page of the console as a link does, without loading it; waits until its content is there. */
  follow(path: string): Promise<void>
  /** Makes the cookies of a session, as the sign-in page does. */
  signIn(person: Pick<Person, 'email'>): Promise<void>
}

type Work = (visitor: ConsoleVisitor) => Promise<void>
type WorkOnPage = (visitor: ConsoleVisitor, hands: Hands) => Promise<void>

/** A service and a browser for the suite that calls this; both are there when its first test runs. */
export function openConsole(start: () => Promise<TestService> = sharedService) {
  let service: TestService
  let chromium: TestBrowser
  before(async () => {
    service = await start()
    chromium = await startBrowser()
  })
  after(async () => {
    await chromium.close()
    await service.close()
  })
  const visitConsole = (work: Work, options: BrowserContextOptions = {}) =>
    visit(service, chromium, visitor => work(consoleVisitor(visitor, service)), {
      viewport: WIDE,
      ...options,
    })
  return {
    get service() {
      return service
    },
    visit: visitConsole,
    /** A test that plays `work` with one browser context of its own. */
    play: (title: string, work: Work, options?: BrowserContextOptions): void => {
      test(title, VISIT_LIMIT, () => visitConsole(work, options))
    },
    /** The same for pages of one section, whose paths begin with `prefix`, opened by `person` with a mouse. */
    playAs:
      (person: () => Pick<Person, 'email'>, prefix: string | (() => string)) =>
      (title: string, path: string, work: WorkOnPage): void => {
        test(title, VISIT_LIMIT, () =>
          visitConsole(async visitor => {
            await visitor.signIn(person())
            await visitor.open(`${typeof prefix === 'string' ? prefix : prefix()}${path}`)
            await work(visitor, handsOf(visitor, 'mouse'))
          }),
        )
      },
    /** A new account, signed in. */
    newcomer: async ({ signIn }: ConsoleVisitor): Promise<Person> => {
      const person = await registerHuman(service)
      await signIn(person)
      return person
    },
  }
}

function consoleVisitor(visitor: Visitor, { baseUrl }: TestService): ConsoleVisitor {
  const { page, context } = visitor
  return {
    ...visitor,
    keyboard: new Keyboard(page),
    open: async path => {
      await page.goto(path)
      await settled(page)
    },
    follow: async path => {
      await page.setViewportSize(WIDE)
      await page.evaluate(`__TSR_ROUTER__.navigate({ href: ${JSON.stringify(path)} })`)
      await page.waitForFunction(
        `__TSR_ROUTER__.state.status === 'idle' && __TSR_ROUTER__.state.resolvedLocation?.href === ${JSON.stringify(path)}`,
      )
      await settled(page)
    },
    signIn: person => signInBy(context, baseUrl, person),
  }
}

/** Puts the cookies of a session into the browser. */
export async function signInBy(
  context: BrowserContext,
  baseUrl: string,
  { email }: Pick<Person, 'email'>,
): Promise<void> {
  const response = await fetch(`${baseUrl}/auth/login`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-svc-session': 'cookie',
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ email, password: PASSWORD }),
  })
  assert.equal(response.status, 200, await response.text())
  await context.addCookies(response.headers.getSetCookie().map(text => cookieOf(text, baseUrl)))
}

function cookieOf(text: string, url: string) {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
  return { name, value, domain: new URL(url).hostname, path: '/', httpOnly: /; *HttpOnly/i.test(text) }
}

/** Waits until the page shows its title and no skeleton any more. */
export async function settled(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
}

/** Shows the page in these colors, as a system that prefers them does; waits until they are drawn. */
export async function showIn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  // Pages of the documentation follow the system by their style sheet alone.
  await page.locator(`html:is([data-mantine-color-scheme=${colorScheme}], [data-docs])`).waitFor()
  await drawn(page)
}

/** Waits until what changed on the page is drawn. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
}
