import { resolve } from 'node:path'
import { randomToken } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { html } from '#platform/http/page/html'
import { card, htmlPage, layout, type Policy } from '#platform/http/page/layout'
import type { MediaResponse } from '#platform/http/response'
import { ConsoleBuild } from './build.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

/** What a page of the console shows first. */
export interface ConsolePage {
  /** What the link of a mail leads to; any JSON, which the console reads from the page. */
  link?: unknown
  status?: number
}

export interface WebConsole {
  build: ConsoleBuild
  /** The page of the console. Its router shows what belongs to the path; 503 if the console has not been built. */
  render(page?: ConsolePage): Promise<MediaResponse>
}

/** The web console: an application in the browser that uses the API with a cookie session (ADR 22). */
export function openConsole(services: Pick<Services, 'config' | 'publicUrl'>): WebConsole {
  const { config, publicUrl } = services
  const build = new ConsoleBuild(resolve(ROOT, config.WEB_DIST))
  const site = {
    name: config.SITE_NAME,
    logoUrl: config.SITE_LOGO_URL ?? null,
    publicUrl,
    sandbox: config.sandbox,
    /** Host of the identity provider that people may sign in with. */
    provider: config.OIDC_ISSUER ? new URL(config.OIDC_ISSUER).host : null,
    // Prices are in dollars; USDC counts as the same amount.
    currency: 'USD',
  }
  const logoOrigin = config.SITE_LOGO_URL?.startsWith('https:') ? new URL(config.SITE_LOGO_URL).origin : ''
  return {
    build,
    async render({ link = null, status = 200 } = {}) {
      const template = await build.page()
      if (template === null) return htmlPage(NOT_BUILT, { status: 503 })
      const nonce = randomToken(18)
      const values: Record<string, string> = {
        PAGE_DATA: jsonInPage({ site, link }),
        NONCE: nonce,
        SITE_NAME: html`${site.name}`.text,
      }
      // In one pass: a value may contain the name of another placeholder.
      const text = template.replaceAll(
        /__(PAGE_DATA|NONCE|SITE_NAME)__/g,
        (_, name: string) => values[name] ?? '',
      )
      return htmlPage(text, { status, policy: policyOf(nonce, logoOrigin) })
    },
  }
}

/** Styles of components get their place in a style element with the nonce; nothing else is inline. */
const policyOf = (nonce: string, logoOrigin: string): Policy => ({
  'style-src': `'self' 'nonce-${nonce}'`,
  'img-src': `'self' data: blob: ${logoOrigin}`.trim(),
  'font-src': "'self'",
  'manifest-src': "'self'",
})

/** JSON that cannot end the script element that it is in. */
const jsonInPage = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c')

const NOT_BUILT = layout(
  'The console is not built',
  card(
    'The console is not built',
    html`<p>
        The operator of this server must run <code>npm run web</code> once, which builds the web console. The API
        works without it.
      </p>
      <p class="actions"><a class="button plain" href="/docs">Documentation</a></p>`,
  ),
)
