import { linkTo, registerHuman } from '#test'
import type { PagesOf } from './page-list.ts'

export const entrancePages: PagesOf = async service => {
  const { email } = await registerHuman(service)
  for (const path of ['/auth/magic-link/request', '/auth/forgot-password'])
    await service.http('POST', path, { body: { email } })
  const { body: bot } = await service.http<{ accessToken: string }>('POST', '/auth/register-agent', {
    body: { username: `tour_${Date.now()}`, walletType: 'managed' },
  })
  const { body: announced } = await service.http<{ claim_url: string }>('POST', '/agents/announce', {
    token: bot.accessToken,
    body: { name: 'Release notes writer', description: 'Writes release notes from a list of changes.' },
  })
  return [
    { name: 'home', path: '/' },
    { name: 'login', path: '/login' },
    { name: 'login-failed', path: '/login?error=SIGN_IN_CANCELLED' },
    { name: 'sign-up', path: '/signup' },
    { name: 'auth-done', path: '/auth/done' },
    { name: 'claim', path: new URL(announced.claim_url).pathname },
    { name: 'verify', path: `/verify/${await linkTo(service, email, 'verify')}` },
    { name: 'reset', path: `/reset/${await linkTo(service, email, 'reset')}` },
    { name: 'magic-link', path: `/login/${await linkTo(service, email, 'login')}` },
    { name: 'link-gone', path: '/reset/none', isNotFound: true },
    { name: 'setup-gone', path: '/setup/none', isNotFound: true },
  ]
}
