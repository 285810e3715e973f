import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import {
  eventually,
  freePort,
  publishAgent,
  registerHuman,
  sharedChainService,
  WebhookReceiver,
  type ListedAgent,
} from '#test'
import { agentKeys } from '#agents'
import { startAgentProcess, type AgentProcess, type SentTask } from '../../support/people/certified-agent.ts'
import type { Run, SampleRunner } from './runner.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const EVENT = { type: 'deal.funded', data: { negotiationId: 'n1' } }

/** A signed message, as the library of the specification makes it. */
function signed(body: string, secret: string): Record<string, string> {
  const at = new Date()
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign('evt_1', at, body),
  }
}

/** Sets a webhook by the sample and returns what it prints. */
async function setWebhook(runner: SampleRunner, run: (variables: Record<string, string>) => Promise<string>) {
  const receiver = await WebhookReceiver.open()
  try {
    const agent = await publishAgent(runner.service, runner.agent.owner)
    return await run({ AGENT: agent.id, ENDPOINT: receiver.url })
  } finally {
    receiver.close()
  }
}

/** Requests a payment in USDC and funds a new payer, by the sample, on a service with a test chain. */
async function requestPayment(
  runner: SampleRunner,
  code: string,
  pay: (payment: { payUrl: string; faucet: string; key: string }) => Promise<void>,
): Promise<void> {
  const chain = await sharedChainService()
  try {
    const owner = await registerHuman(chain)
    const agent = await publishAgent(chain, owner)
    const { generatePrivateKey, privateKeyToAddress } = await import('viem/accounts')
    const key = generatePrivateKey()
    const functions = (await helpers(runner)).replaceAll(runner.service.baseUrl, chain.baseUrl)
    const output = await runner.shell(`${functions}${code}echo "$PAY_URL"`, {
      BUYER: owner.token,
      AGENT: agent.id,
      PAYER_ADDRESS: privateKeyToAddress(key),
    })
    const [faucet = '', payUrl = ''] = output.trim().split('\n')
    await pay({ key, faucet, payUrl })
  } finally {
    await chain.close()
  }
}

const SHELL_HELPERS = /^(?:api|field)\(\).*$/gm

/** An agent at the endpoint, which knows its webhook secret. */
async function certifiableAgent(
  { service, buyer }: SampleRunner,
  endpoint: AgentProcess,
): Promise<ListedAgent> {
  const agent = await publishAgent(service, buyer, { ap2Endpoint: endpoint.url })
  const { createWebhookSecret } = agentKeys.webhookSecrets
  const secret = await service.services.db.transaction(tx =>
    createWebhookSecret(tx, service.services, agent.id, buyer.id),
  )
  endpoint.secret = secret ?? ''
  return agent
}

/** Runs a suite and compares a task as the agent gets it with the sample. */
async function certify(runner: SampleRunner, code: string): Promise<void> {
  const { service, buyer } = runner
  const endpoint = await startAgentProcess()
  try {
    const agent = await certifiableAgent(runner, endpoint)
    const token = buyer.token
    const run = await service.http<{ id: string }>('POST', '/certification-runs', {
      token,
      body: { suite: 'smoke', agentId: agent.id },
    })
    await service.http('POST', `/certification-runs/${run.body.id}/start`, { token })
    const sample = JSON.parse(code) as SentTask
    const sent = () => endpoint.received.find(({ kind }) => kind === sample.kind)
    await eventually('the task is sent', async () => sent() !== undefined)
    const task = sent() ?? assert.fail()
    assert.deepEqual(Object.keys(sample), Object.keys(task))
    assert.deepEqual(
      [task.type, task.suite, task.instructions],
      [sample.type, sample.suite, sample.instructions],
    )
    assert.deepEqual(Object.keys(sample.input), Object.keys(task.input))
  } finally {
    await endpoint.close()
  }
}

/** The functions of the README that its shell samples use. */
async function helpers(runner: SampleRunner): Promise<string> {
  const { allFences } = await import('./fences.ts')
  const first = (await allFences()).find(({ key }) => key === 'README.md#Hire an agent')
  const found = first?.code.match(SHELL_HELPERS) ?? []
  assert.equal(found.length, 2)
  return `${runner.fill(found.join('\n'))}\n`
}

/** The samples about agents, deals and payments. */
export const MARKET_SAMPLES: Readonly<Record<string, Run>> = {
  'docs/guides/start.md#A first request': async ({ code }, runner) => {
    const { agents } = await runner.json<{ agents: unknown[] }>(code)
    assert.ok(agents.length > 0)
  },
  'docs/guides/start.md#A first request 2': async ({ code }, runner) =>
    assert.match(await runner.program(code), /^[1-3]$/),
  'docs/guides/start.md#A first request 3': async ({ code }, runner) =>
    assert.match(await runner.python(code), /^[1-3]$/),
  'docs/guides/start.md#A key': async ({ code }, runner) => {
    const { agentApiKey } = await runner.json<{ agentApiKey: string }>(code)
    assert.match(agentApiKey, /^sk_/)
  },
  'docs/guides/start.md#A key 2': async ({ code }, runner) =>
    assert.ok((await runner.shell(code)).includes(runner.agent.slug)),
  'docs/guides/start.md#A key 3': async ({ code }, runner) =>
    assert.ok((await runner.program(code)).split('\n').includes(`${runner.agent.slug} ACTIVE`)),
  'docs/guides/start.md#A key 4': async ({ code }, runner) =>
    assert.ok((await runner.python(code)).split('\n').includes(`${runner.agent.slug} ACTIVE`)),
  'docs/guides/operating.md#Every day': async ({ code }, runner) =>
    assert.match(await runner.shell(code), /"database":"ok"[\s\S]*^process_cpu_user_seconds_total /m),
  'docs/guides/webhooks.md#Receive webhooks': async ({ code }, runner) =>
    assert.match(await setWebhook(runner, variables => runner.shell(code, variables)), /"secret":"whsec_/),
  'docs/guides/webhooks.md#Receive webhooks 2': async ({ code }, runner) =>
    assert.match(await setWebhook(runner, variables => runner.program(code, variables)), /^whsec_/),
  'docs/guides/webhooks.md#Receive webhooks 3': async ({ code }, runner) => {
    const body = JSON.stringify(EVENT)
    const call = (headers: object) =>
      `print(verify(json.loads(${JSON.stringify(JSON.stringify(body))}).encode(), json.loads(${JSON.stringify(JSON.stringify(headers))}), "${SECRET}")["type"])`
    assert.equal(await runner.python(`${code}\n${call(signed(body, SECRET))}`), EVENT.type)
    const forged = { ...signed(body, SECRET), 'webhook-id': 'evt_2' }
    await assert.rejects(runner.python(`${code}\n${call(forged)}`), /wrong signature/)
    const late = { ...signed(body, SECRET), 'webhook-timestamp': '1767225600' }
    await assert.rejects(runner.python(`${code}\n${call(late)}`), /wrong signature|too old/)
  },
  'docs/guides/webhooks.md#Read the stream': async ({ code }, runner) => {
    const { buyer, agent } = runner
    await runner.service.http('POST', '/ap2/negotiate', {
      token: buyer.token,
      body: { responderAgentId: agent.id, requestedService: 'Say hello', budget: 5 },
    })
    assert.match(await runner.shell(code), /^event: negotiation\.created$/m)
  },
  'docs/SDK.md#Webhooks': async ({ code }, runner) => {
    const port = await freePort()
    const server = await runner.serve(code, { PORT: String(port), WEBHOOK_SECRET: SECRET })
    try {
      const body = JSON.stringify(EVENT)
      const post = (headers: Record<string, string>) =>
        fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body })
      const listens = () =>
        post({}).then(
          () => true,
          () => false,
        )
      await eventually('the program listens', listens)
      assert.equal((await post(signed(body, SECRET))).status, 204)
      assert.equal((await post({ ...signed(body, SECRET), 'webhook-id': 'other' })).status, 400)
      await eventually('the event is printed', async () => server.output.includes('deal.funded n1'))
    } finally {
      server.stop()
    }
  },
  'docs/SDK.md#Every operation': async ({ code }, runner) => {
    const { buyer, service } = runner
    const agent = await publishAgent(service, buyer, { tags: ['translation'] })
    const setUp = `import { Svc } from '@svc/sdk'
const svc = new Svc({ baseUrl: process.env.SVC_URL, apiKey: process.env.TOKEN })
const id = '${buyer.walletId}'
`
    const output = await runner.program(`${setUp}${code}console.log(wallet.id)`)
    assert.ok(output.includes(agent.slug) && output.endsWith(buyer.walletId), output)
  },
  'docs/SDK.md#Every operation 2': async ({ code }, runner) => {
    const setUp = `import { Svc } from '@svc/sdk'
const svc = new Svc({ baseUrl: process.env.SVC_URL, apiKey: process.env.TOKEN })
`
    const output = await runner.program(`${setUp}${code}console.log(new TextDecoder().decode(bytes))`)
    assert.ok(output.endsWith('Hello'), output)
  },
  'docs/API.md#A2A': async ({ code }, runner) => {
    const output = await runner.shell(code.replace('"scribe"', `"${runner.agent.slug}"`))
    assert.match(output, /"result":\{[^}]*"kind":"task"|"kind":"task"/)
  },
  'docs/API.md#Sample work of an agent': async ({ code }, runner) => {
    const { id } = await publishAgent(runner.service, runner.buyer)
    const agent = await runner.json<{ outputSchema: object }>(code, { AGENT: id })
    assert.deepEqual(agent.outputSchema, { type: 'string', examples: ['Ihre Testphase endet morgen.'] })
  },
  'docs/API.md#Runs: pay for one call of an agent': async ({ code }, runner) => {
    const output = await runner.shell(code)
    assert.match(output, /"status":"PENDING"/)
    assert.match(output, /"payment":"HELD"/)
  },
  'docs/API.md#Acceptance criteria': async ({ code }, runner) => {
    const body = code.replace('"scribe"', `"${runner.agent.slug}"`).replace('whsec_...', SECRET)
    const { status, text } = await runner.service.http('POST', '/ap2/negotiate', {
      token: runner.buyer.token,
      body,
    })
    assert.equal(status, 201, text)
  },
  'docs/certification.md#Prepare the agent': async ({ code }, runner) => certify(runner, code),
  'docs/certification.md#Prepare the agent 2': async ({ code }) => {
    assert.deepEqual(JSON.parse(code), { output: { sum: 3 - 7 + 12 + 5 + 1 } })
  },
  'docs/certification.md#Run a suite': async ({ code }, runner) => {
    const process = await startAgentProcess()
    try {
      const agent = await certifiableAgent(runner, process)
      const output = await runner.shell((await helpers(runner)) + code, {
        OWNER: runner.buyer.token,
        AGENT: agent.id,
      })
      assert.match(output, /^QUEUED\n(?:QUEUED|RUNNING|FAILED|PASSED)\n$/)
    } finally {
      await process.close()
    }
  },
  'README.md#Get paid in USDC': async ({ code }, runner) => {
    await requestPayment(runner, code, async ({ payUrl, faucet }) => {
      assert.match(payUrl, /\/payments\/x402\/[\w-]+\/pay$/)
      assert.match(faucet, /^0x[0-9a-f]{64}$/)
    })
  },
  'README.md#Get paid in USDC 2': async ({ code }, runner) => {
    const { allFences } = await import('./fences.ts')
    const first = (await allFences()).find(({ key }) => key === 'README.md#Get paid in USDC')
    await requestPayment(runner, first?.code ?? '', async ({ payUrl, key }) => {
      assert.equal(await runner.program(code, { PAY_URL: payUrl, PAYER_KEY: key }), '200')
    })
  },
}
