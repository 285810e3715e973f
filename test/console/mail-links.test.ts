import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite, test } from 'node:test'
import {
  AffiliateTrial,
  connectBank,
  deliveredDeal,
  disputedFunding,
  eventually,
  fund,
  mailsSettled,
  mailsTo,
  must,
  negotiate,
  openMarket,
  registerHuman,
  startTestService,
  WebhookReceiver,
  type Market,
  type Person,
  type TestService,
} from '#test'
import { reconcileIfDue } from '../../server/modules/reconciliation/daily.ts'
import { openConsole } from './support/console.ts'
import { ADMIN } from './support/desk.ts'

const DAY = 86_400
const SERVICE = 'Translate the manual'

/** The pages that mails lead to: title, and what shows that it is the right one. Every link of a mail fits one of them. */
const PAGES: Readonly<Record<string, { title: RegExp; shows: RegExp }>> = {
  '/verify/*': { title: /^Confirm your email address$/, shows: /Confirm/ },
  '/reset/*': { title: /^Set a new password$/, shows: /New password/ },
  '/login/*': { title: /^Sign in$/, shows: /@example\.com/ },
  '/unsubscribe/*': { title: /^No more emails about offers\?$/, shows: /Unsubscribe/ },
  '/app/organizations': { title: /^Organizations$/, shows: /More works/ },
  '/app/deals/*': { title: new RegExp(SERVICE), shows: /\$100\.00/ },
  '/app/wallet': { title: /^Wallet$/, shows: /\$40\.00/ },
  '/app/selling/agents/*/webhook': { title: /^Agent /, shows: /accepted nothing for a day and is disabled/ },
  '/app/selling/payouts?agent=*': { title: /^Payouts$/, shows: /\$25\.00/ },
  '/app/selling/payouts?organization=*': { title: /^Payouts$/, shows: /Payouts go to the connected bank/ },
  '/app/selling/payouts': { title: /^Payouts$/, shows: /Payouts go to the connected bank/ },
  '/app/affiliate/commissions': { title: /^Commissions$/, shows: /Deal of a referred buyer/ },
  '/app/account/plan': { title: /^Plan$/, shows: /\$59\.00/ },
  '/app/admin/chargebacks': { title: /^Chargebacks$/, shows: /\$40\.00/ },
  '/app/admin/reconciliation': { title: /^Reconciliation$/, shows: /AMOUNT_DIFFERS|Amount differs/ },
}

/** A link with a star in place of each id, token and name. */
const shapeOf = (link: string): string => link.replace(/[\w.-]{20,}|mailed-works/g, '*')

/** The links that a person follows. Lines for programs name calls of the API. */
const linksIn = (text: string): string[] =>
  text
    .split('\n')
    .filter(line => !line.startsWith('For programs:'))
    .flatMap(line => line.match(/https?:\/\/[^\s"<>]+/g) ?? [])

suite('the links of mails', () => {
  const console = openConsole(startTestService)
  /** Each shape of link with its first one and who got it. */
  const found = new Map<string, { path: string; to: Pick<Person, 'email'> }>()
  before(async () => {
    const { service } = console
    for (const to of await causeMails(service))
      for (const { text } of await mailsTo(service, to.email))
        for (const link of linksIn(text)) {
          assert.ok(link.startsWith(service.baseUrl), link)
          const path = link.slice(service.baseUrl.length)
          const shape = shapeOf(path)
          if (!found.has(shape)) found.set(shape, { path, to })
        }
  })

  test('lead to the pages that are listed here, and to each of them', () =>
    assert.deepEqual([...found.keys()].toSorted(), Object.keys(PAGES).toSorted()))

  test('are the only ones that the service writes into mails', async () => {
    const server = join(import.meta.dirname, '../../server')
    const written = new Set<string>()
    for await (const file of glob('modules/**/*.ts', { cwd: server })) {
      const source = await readFile(join(server, file), 'utf8')
      if (file.endsWith('.test.ts') || !source.includes('adapters/mail/letter')) continue
      for (const [, path = ''] of source.matchAll(/\$\{(?:services\.)?publicUrl\}(\/app\/[^`\s]*)/g))
        written.add(path.replace(/\$\{[^}]*\}/g, '*'))
    }
    assert.ok(written.size >= 8, [...written].join())
    assert.deepEqual(
      [...written].filter(path => !(path in PAGES)),
      [],
    )
  })

  for (const [shape, { title, shows }] of Object.entries(PAGES))
    console.play(`open ${shape}`, async ({ page, signIn }) => {
      const { path, to } = found.get(shape) ?? assert.fail('no mail has it')
      if (path.startsWith('/app/')) await signIn(to)
      const refused: string[] = []
      page.on('response', response => {
        if (response.status() >= 400) refused.push(`${response.status()} ${response.url()}`)
      })
      await page.goto(path)
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.getByText(shows).filter({ visible: true }).first().waitFor()
      assert.deepEqual(refused, [])
    })
})

/** Makes something happen of each kind that a mail with a link reports; returns the people who get them. */
async function causeMails(service: TestService): Promise<Pick<Person, 'email'>[]> {
  const admin = await service.adminToken()
  const market = await openMarket(service, { amount: 1000, card: true })
  const { owner } = market.agent
  for (const path of ['/auth/magic-link/request', '/auth/forgot-password'])
    await service.http('POST', path, { body: { email: owner.email } })
  const receiver = await brokenWebhook(market)
  await negotiate(market, { requestedService: SERVICE })
  await payouts(market)
  const payer = await registerHuman(service)
  await disputedFunding(service, { admin, payer, amount: 40 })
  await differences(service)
  const trial = new AffiliateTrial(service, admin)
  const earner = await trial.affiliate()
  const referred = await trial.market(earner)
  await trial.release(referred, await trial.delivered(referred))
  const subscriber = await registerHuman(service)
  await fund(service, subscriber, 59)
  await send(service, subscriber, '/subscriptions/checkout', { rail: 'wallet' })
  await webhookGivesUp(market)
  receiver.close()
  await service.advance(62 * DAY)
  // The links work for minutes only.
  for (const path of ['/auth/magic-link/request', '/auth/forgot-password', '/auth/resend-verification'])
    await service.http('POST', path, { body: { email: payer.email } })
  await mailsSettled(service)
  return [ADMIN, payer, owner, earner, subscriber]
}

async function send(service: TestService, { token }: Person, path: string, body: object) {
  // A webhook is set, all else is made.
  const method = path.endsWith('/webhook') ? 'PUT' : 'POST'
  const { status, text } = await service.http(method, path, { token, body })
  assert.ok(status < 300, `${path}: ${status} ${text}`)
}

/** To the bank accounts of the owner, the agent and an organization; the owner is invited to another one too. */
async function payouts(market: Market): Promise<void> {
  const { service, buyer, agent } = market
  const { token } = agent.owner
  const slug = 'mailed-works'
  await send(service, agent.owner, '/organizations', { slug, name: 'Mailed works' })
  await connectBank(service, token)
  await connectBank(service, token, { organizationSlug: slug })
  await connectBank(service, token, { agentId: agent.id })
  const { escrowId } = await deliveredDeal(market, { requestedService: SERVICE })
  await must(market, 'buyer', '/payments/ap2/release', { escrowId })
  await send(service, agent.owner, '/payouts/request', { agentId: agent.id, amount: 25 })
  await send(service, buyer, '/organizations', { slug: `${slug}-too`, name: 'More works' })
  await send(service, buyer, `/organizations/${slug}-too/members`, { userId: agent.owner.id, role: 'ADMIN' })
}

async function brokenWebhook({ service, agent }: Market): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.open()
  receiver.answer = () => 503
  await send(service, agent.owner, `/agents/${agent.id}/webhook`, { url: receiver.url })
  return receiver
}

/** A delivery is attempted eight times within a day. */
async function webhookGivesUp({ service, agent: { id, owner } }: Market): Promise<void> {
  const path = `/agents/${id}/webhook`
  const read = async () =>
    (await service.http<{ status: string }>('GET', path, { token: owner.token })).body.status
  await eventually('the webhook is disabled', async () => {
    await service.advance(DAY / 4)
    return (await read()) === 'DISABLED'
  })
}

/**
 * The daily run finds that the processor has another amount than the books. The first run compares a week only, so it has to
 * follow the payment before the tests move the clock further.
 */
async function differences(service: TestService): Promise<void> {
  const { pool } = service.services.db
  // What is younger than an hour is not compared yet.
  await service.advance(DAY)
  // The first day begins.
  await reconcileIfDue(service.services)
  await pool.query("update payments_sandbox_movement set cents = 999 where kind = 'charge' and cents = 4000")
  await pool.query(
    "update platform_task set due_at = now() - interval '1 second' where name = 'reconciliation'",
  )
  await reconcileIfDue(service.services)
}
