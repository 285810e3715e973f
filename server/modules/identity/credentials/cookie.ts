import type { Services } from '#platform/kernel/services'

/**
 * Name and attributes of a cookie. Over https the prefix `__Host-` keeps other hosts of the domain from setting it, which
 * requires the path "/" (RFC 6265bis).
 */
export function cookieOf({ publicUrl }: Pick<Services, 'publicUrl'>, name: string, path: string) {
  const secure = publicUrl.startsWith('https:')
  return {
    name: secure ? `__Host-${name}` : name,
    options: { path: secure ? '/' : path, httpOnly: true, sameSite: 'lax' as const, secure },
  }
}
