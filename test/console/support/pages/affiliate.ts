import { AffiliateTrial, registerHuman } from '#test'
import type { PagesOf } from './page-list.ts'

export const affiliatePages: PagesOf = async service => {
  const trial = new AffiliateTrial(service, await service.adminToken())
  const affiliate = await trial.affiliate()
  const market = await trial.market(affiliate)
  await trial.release(market, await trial.delivered(market))
  const [applicant, newcomer] = [await registerHuman(service), await registerHuman(service)]
  await service.http('POST', '/affiliates/apply', {
    token: applicant.token,
    body: { displayName: 'Ada Weekly', acceptTerms: true },
  })
  return [
    { name: 'affiliate', path: '/app/affiliate', as: affiliate },
    { name: 'affiliate-pending', path: '/app/affiliate', as: applicant },
    { name: 'affiliate-none', path: '/app/affiliate', as: newcomer },
    { name: 'commissions-outside', path: '/app/affiliate/commissions', as: newcomer },
    { name: 'affiliate-apply', path: '/app/affiliate/apply', as: newcomer },
    { name: 'commissions', path: '/app/affiliate/commissions', as: affiliate },
    { name: 'commissions-none', path: '/app/affiliate/commissions?status=PAID', as: affiliate },
  ]
}
