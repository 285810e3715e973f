import { after, before, test } from 'node:test'
import { generateSync } from 'otplib'
import type { BrowserContextOptions } from 'playwright-core'
import {
  registerHuman,
  sharedService,
  startBrowser,
  visit,
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
      test(title, () => visitSite(work, options))
    },
  }
}

export async function signIn({ page, fill, press }: Visitor, { email }: Person): Promise<void> {
  await page.goto('/login')
  await fill({ Email: email, Password: PASSWORD })
  await press('Sign in')
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
