import { mkdir } from 'node:fs/promises'
import { createServer, request as forward } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { launchChromium } from '#platform/adapters/browser/chromium'
import { isGroup } from '../service/group.ts'
import { Tabs } from './tabs.ts'

/** The browser is unpacked here once, for all tests that do not test that. */
export const CHROMIUM_CACHE = join(import.meta.dirname, '../../../.data/test/chromium')

export interface TestBrowser {
  browser: Browser
  /** For `visit`. */
  tabs: Tabs
  close(): Promise<void>
}

let shared: Promise<TestBrowser> | undefined

/** The Chromium that npm brought, for pages of services on loopback: one for all test files of a group. */
export async function startBrowser(): Promise<TestBrowser> {
  if (!isGroup()) return launchBrowser()
  shared ??= launchBrowser()
  return { ...(await shared), close: async () => undefined }
}

export async function closeSharedBrowser(): Promise<void> {
  await (await shared)?.close()
  shared = undefined
}

async function launchBrowser(): Promise<TestBrowser> {
  await mkdir(CHROMIUM_CACHE, { recursive: true })
  // It goes nowhere without a proxy; ours lets everything through.
  const proxy = createServer((asked, answer) => {
    const onward = forward(asked.url ?? '', { method: asked.method, headers: asked.headers }, given => {
      answer.writeHead(given.statusCode ?? 502, given.headers)
      given.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    // A page that gives up a request is gone for the service too.
    answer.on('close', () => onward.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>(resolve => {
    proxy.listen(0, '127.0.0.1', resolve)
  })
  const { port } = proxy.address() as AddressInfo
  const browser = await launchChromium({ cacheDir: CHROMIUM_CACHE, proxyUrl: `http://127.0.0.1:${port}` })
  const close = async () => {
    await browser.close()
    proxy.closeAllConnections()
    await new Promise(resolve => {
      proxy.close(resolve)
    })
  }
  return { browser, tabs: new Tabs(browser), close }
}
