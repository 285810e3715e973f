import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { generateSync } from 'otplib'
import type { BrowserContextOptions, Page } from 'playwright-core'
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

/** The password of `registerHuman`. */
export const PASSWORD = 'correct horse battery staple'

type Work = (visitor: Visitor) => Promise<void>

/** A service and a browser for the suite that calls this; both are there when its first test runs. */
export function openSite() {
  let service: TestService
  let chromium: TestBrowser
  before(async () => {
    service = await sharedService()
    chromium = await startBrowser()
  })
  after(async () => {
    await chromium.close()
    await service.close()
  })
  const visitSite = (work: Work, options?: BrowserContextOptions) => visit(service, chromium, work, options)
  return {
    get service() {
      return service
    },
    get chromium() {
      return chromium
    },
    /** Runs `work` as another visitor with a separate browser context. */
    visit: visitSite,
    /** Defines a test that runs `work` as a visitor. */
    journey: (title: string, work: Work, options?: BrowserContextOptions): void => {
      test(title, VISIT_LIMIT, () => visitSite(work, options))
    },
  }
}

export async function signIn(
  { page, fill, press }: Visitor,
  { email }: Pick<Person, 'email'>,
): Promise<void> {
  await page.goto('/login')
  await fill({ Email: email, Password: PASSWORD })
  await press('Sign in')
}

/** Waits for a page of the console. */
export const atConsole = (page: Page): Promise<void> =>
  page.waitForURL(({ pathname }) => pathname.startsWith('/app'), { timeout: 30_000 })

/** The answer of the API to the session of the browser; null if it has none. */
export const fetchAs = <Body>({ page }: Visitor, path: string): Promise<Body | null> =>
  page.evaluate<Body | null>(`fetch('${path}').then(response => response.ok ? response.json() : null)`)

/** Address of the account that the cookies of the browser sign in; null if there is no session. */
export const signedInAs = async (visitor: Visitor): Promise<string | null> =>
  (await fetchAs<{ email: string }>(visitor, '/users/me'))?.email ?? null

const EVERYTHING_STORED = `(async () => JSON.stringify({
  local: { ...localStorage }, session: { ...sessionStorage }, cookies: document.cookie,
  databases: await indexedDB.databases(), caches: await caches.keys(), address: location.href,
}))()`

/** What a script of the page could read: nothing of it is a token of the session. */
export async function assertNoTokenWithinReach({ page, context }: Visitor): Promise<void> {
  const stored = await page.evaluate<string>(EVERYTHING_STORED)
  const tokens = (await context.cookies()).filter(({ httpOnly }) => httpOnly)
  assert.ok(
    tokens.some(({ name }) => name === 'svc_access'),
    'there is no session whose tokens could leak',
  )
  for (const { name, value } of tokens) assert.ok(!stored.includes(value), `${name} is in ${stored}`)
  assert.doesNotMatch(stored, /eyJ|mfaToken|accessToken|refreshToken/)
  assert.match(stored, /"databases":\[\],"caches":\[\]/)
}

export const totpCode = (secret: string): string => generateSync({ secret })

/** A person with two-factor authentication, with the secret and the backup codes. */
export async function registerWithSecondFactor(service: TestService) {
  const someone = await registerHuman(service)
  const { token } = someone
  const { body: setup } = await service.http<{ manualEntryKey: string }>('POST', '/mfa/setup', { token })
  const secret = setup.manualEntryKey
  const { body } = await service.http<{ backupCodes: string[] }>('POST', '/mfa/enable', {
    token,
    body: { token: totpCode(secret) },
  })
  return { ...someone, secret, backupCodes: body.backupCodes }
}
