import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import type { Page } from 'playwright-core'
import { NARROW, showIn, WIDE } from './console.ts'

/** Folder for screenshots of every page (`npm run screens`); none are taken without it. */
const FOLDER = process.env.SVC_SCREENS
const SIZES = { wide: WIDE, narrow: NARROW }

/** Writes `name-wide.webp` and `name-narrow.webp`, in light colors. */
export async function takeScreens(page: Page, name: string): Promise<void> {
  if (!FOLDER) return
  await mkdir(FOLDER, { recursive: true })
  await showIn(page, 'light')
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport)
    await writeFile(join(FOLDER, `${name}-${size}.webp`), await picture(page))
  }
}

/** WebP is a third of the size of what Playwright writes itself. */
async function picture(page: Page): Promise<Buffer> {
  const client = await page.context().newCDPSession(page)
  const { data } = await client.send('Page.captureScreenshot', { format: 'webp', quality: 60 })
  await client.detach()
  return Buffer.from(data, 'base64')
}
