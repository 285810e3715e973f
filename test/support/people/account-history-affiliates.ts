import { registerHuman } from './people.ts'
import type { Created, Scene } from './account-history-deals.ts'
import type { TestService } from '../service/service.ts'
import type { CanaryClient } from '../openapi/text-fields.ts'

const APPLICATION = { displayName: 'Applicant', acceptTerms: true }

/** Lets the person apply as an affiliate and make a link, and decide about others as an operator. */
export async function refer(
  service: TestService,
  client: CanaryClient,
  { call, person: { token }, market: { admin } }: Scene,
): Promise<void> {
  const word = client.word('applyAsAffiliate', 'website')
  const own = await call<Created>('applyAsAffiliate', {
    token,
    body: { code: 'history-of-one', website: `https://${word}.example.com`, acceptTerms: true },
  })
  const post = async (path: string, by: string, body: object): Promise<string> => {
    const answer = await service.http<Created>('POST', path, { token: by, body })
    if (answer.status > 201) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body.id
  }
  const approve = (id: string) => post(`/affiliates/admin/${id}/review`, admin, { decision: 'approve' })
  await approve(own.id)
  await call('makeAffiliateLink', { token })
  const applicant = async () => post('/affiliates/apply', (await registerHuman(service)).token, APPLICATION)
  await call('reviewAffiliate', { token, path: { id: await applicant() }, body: { decision: 'reject' } })
  await call('suspendAffiliate', { token, path: { id: await approve(await applicant()) } })
}
