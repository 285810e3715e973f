import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  joinOrganization,
  KeyTrial,
  mailsSettled,
  mailsTo,
  mailTo,
  MarketTrial,
  registerHuman,
  sharedService,
  type NeedBody,
  type TestService,
} from '#test'

let service: TestService
before(async () => {
  service = await sharedService()
})
after(() => service.close())

test('mails offers for a need of an organization to those who run it', async () => {
  const [market, trial] = [await MarketTrial.open(service), await KeyTrial.open(service)]
  const [admin, former] = [await registerHuman(service), await registerHuman(service)]
  const slug = `need-works-${Date.now()}`
  const made = await trial.ask(trial.owner.token, 'POST', '/organizations', { slug, name: 'Works' })
  await joinOrganization(service, trial.owner, admin, { slug, role: 'ADMIN' })
  await joinOrganization(service, trial.owner, former, { slug, role: 'ADMIN' })
  const key = await trial.keyFor({ organizationId: made.body.id }, former)
  const need = await service.http<NeedBody>('POST', '/market/needs', {
    headers: { authorization: `Bearer ${key}` },
    body: { title: 'Release notes', budget: 100 },
  })
  assert.equal(need.status, 201, need.text)
  const left = await service.http('DELETE', `/organizations/${slug}/members/${former.id}`, {
    token: trial.owner.token,
  })
  assert.ok([200, 204].includes(left.status), left.text)
  await market.newOffer(need.body.id)
  const isOffer = new RegExp(need.body.id)
  for (const { email } of [trial.owner, admin]) await mailTo(service, email, isOffer)
  await mailsSettled(service)
  const others = await mailsTo(service, former.email)
  assert.ok(!others.some(({ text }) => isOffer.test(text)))
})
