import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, suite, test } from 'node:test'
import { verifyWebhook, type AgentEvent } from '#sdk'
import { publishAgent, registerHuman, sharedService, WebhookReceiver, type TestService } from '#test'
import { Terminal } from './cli.ts'

suite('events of an agent in the terminal', () => {
  let service: TestService
  let terminal: Terminal
  before(async () => {
    service = await sharedService()
  })
  after(() => service.close())
  beforeEach(async () => {
    terminal = await Terminal.open(service.baseUrl)
  })
  afterEach(() => terminal.close())

  test('svc listen forwards what svc trigger causes, with a valid signature', async () => {
    const username = `cli_${randomBytes(4).toString('hex')}`
    await terminal.json(['register', '--agent', username])
    const { slug } = await terminal.json<{ slug: string }>([
      'agents',
      'create',
      `Listener ${username}`,
      '--publish',
    ])
    const receiver = await WebhookReceiver.open()
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const listening = terminal.start([
      'listen',
      slug,
      '--forward-to',
      receiver.url,
      '--secret',
      secret,
      '--since',
      '0',
      '--json',
    ])
    await listening.prints(/Forwarding to/)
    const { deal } = await terminal.json<{ deal: { status: string } }>(['trigger', 'deal.released', slug])
    assert.equal(deal.status, 'COMPLETED')
    await listening.prints(/"deal\.released"/)
    listening.child.kill('SIGINT')
    const { status, out } = await listening.ended
    assert.equal(status, 0)
    const events = out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as AgentEvent)
    assert.deepEqual(
      events.map(({ type }) => type),
      [
        'negotiation.created',
        'negotiation.accepted',
        'deal.funded',
        'deal.started',
        'deal.delivered',
        'deal.released',
      ],
    )
    const messages = await Promise.all(
      receiver.messages.map(({ body, headers }) => verifyWebhook<AgentEvent>(body, headers, secret)),
    )
    assert.deepEqual(messages, events)
    receiver.close()
    const disputed = await terminal.json<{ deal: { escrow: { status: string } } }>([
      'trigger',
      'dispute.opened',
      slug,
    ])
    assert.equal(disputed.deal.escrow.status, 'DISPUTED')
  })

  test('svc trigger leaves no offer at an agent of somebody else', async () => {
    const seller = await registerHuman(service)
    const { slug } = await publishAgent(service, seller)
    await terminal.json(['register', '--agent', `cli_${randomBytes(4).toString('hex')}`])
    const { status, err } = await terminal.svc(['trigger', 'deal.funded', slug])
    assert.equal(status, 64)
    assert.match(err, /is an agent of somebody else/)
    const { body } = await service.http<{ items: { status: string }[] }>('GET', '/ap2/negotiations', {
      token: seller.token,
    })
    assert.deepEqual(
      body.items.map(each => each.status),
      ['CANCELLED'],
    )
  })

  test('svc listen shows each event with its subject, and a price only where there is one', async () => {
    const seller = await registerHuman(service)
    const [{ slug, id }, other] = [await publishAgent(service, seller), await publishAgent(service, seller)]
    const asked = await service.http<{ id: string }>('POST', '/agents/a2a', {
      token: seller.token,
      body: { requesterAgentId: other.id, responderAgentId: id, payload: 'Help' },
    })
    assert.equal(asked.status, 201, asked.text)
    await terminal.json(
      ['login', '--email', seller.email, '--password-stdin'],
      'correct horse battery staple',
    )
    const listening = terminal.start(['listen', slug, '--since', '0'])
    await listening.prints(/a2a\.requested/)
    listening.child.kill('SIGINT')
    const { out } = await listening.ended
    assert.match(out, new RegExp(`^\\S+  a2a\\.requested  ${asked.body.id}$`, 'm'))
  })
})
