import { registerHuman } from '#test'
import type { PagesOf } from './page-list.ts'

export const accountPages: PagesOf = async service => {
  const as = await registerHuman(service)
  return [
    { name: 'profile', path: '/app/account', as },
    { name: 'security', path: '/app/account/security', as },
    { name: 'notifications', path: '/app/account/notifications', as },
    { name: 'plan', path: '/app/account/plan', as },
  ]
}
