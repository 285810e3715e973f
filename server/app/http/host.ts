import ipaddr from 'ipaddr.js'
import { apiError, errorTable } from '#platform/kernel/errors'
import { hook } from '#platform/http/hook'
import type { App } from '#platform/http/operation'
import type { Services } from '#platform/kernel/services'

const HOST = errorTable({
  MISDIRECTED_REQUEST: [421, 'Misdirected request'],
})

const REMEMBERED_HOSTS = 100

/**
 * In sandbox mode refuses requests for a host name that is not the service's own. Otherwise a web page could read the
 * sandbox through DNS rebinding: it points its own name at 127.0.0.1 and is then of the same origin. An IP address cannot
 * be pointed elsewhere, so that every address is accepted.
 */
export function installHostCheck(
  app: App,
  { config, publicUrl }: Pick<Services, 'config' | 'publicUrl'>,
): void {
  if (!config.sandbox) return
  const own = new Set(
    ['localhost', new URL(publicUrl).hostname, ...config.SANDBOX_ALLOWED_HOSTS].map(name =>
      name.toLowerCase(),
    ),
  )
  const isOwn = (name: string): boolean =>
    own.has(name) || name.endsWith('.localhost') || ipaddr.isValid(name.replaceAll(/^\[|\]$/g, ''))
  // Nearly all requests have the same few hosts: to parse them each time would take longer than the rest of the hook.
  const accepted = new Set([''])
  app.addHook(
    'onRequest',
    hook(({ headers: { host = '' } }) => {
      if (accepted.has(host)) return
      if (!isOwn(nameOf(host)))
        throw apiError(HOST.MISDIRECTED_REQUEST, {
          hint: 'Sandbox mode does not serve this host name: open the service by PUBLIC_URL, or add the name to SANDBOX_ALLOWED_HOSTS',
        })
      if (accepted.size < REMEMBERED_HOSTS) accepted.add(host)
    }),
  )
}

function nameOf(host: string): string {
  const url = `http://${host}`
  return URL.canParse(url) ? new URL(url).hostname.replace(/\.$/, '') : ''
}
