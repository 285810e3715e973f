import { collectWords, type Created, type Trade } from './account-history-deals.ts'
import type { TestService } from '../service/service.ts'

interface Started {
  execution: { id: string }
}

/** Runs that the person buys, and runs of an agent of the person: paid, failed, and one that is live at the deletion. */
export async function runAgents(service: TestService, trade: Trade): Promise<void> {
  const { call, client, person, market, seller, living, paid } = trade
  const { token } = person
  const buy = () =>
    call<Started>('executeAgent', {
      token,
      path: { id: seller.id },
      body: { budget: 5, input: { text: client.word('executeAgent', 'input') } },
    })
  const { execution: bought } = await buy()
  await post(service, `/agents/${seller.id}/runs/${bought.id}/result`, {
    token: market.agent.owner.token,
    body: { status: 'SUCCEEDED', output: 'work of the seller' },
  })
  await collectWords(client, living, buy)
  const agent = await call<Created>('createAgent', {
    token,
    body: { ap2Endpoint: null, inputSchema: null, outputSchema: null, pricing: null },
  })
  await call('publishAgent', { token, path: { id: agent.id } })
  const sell = async (report: Record<string, unknown>) => {
    const { execution } = await post<Started>(service, `/agents/${agent.id}/execute`, {
      token: market.buyer.token,
      body: { input: 'of the buyer', budget: 5 },
    })
    await call('reportRunResult', {
      token,
      path: { id: agent.id, runId: execution.id },
      body: report,
    })
  }
  await sell({ status: 'FAILED', output: { draft: client.word('reportRunResult', 'output') } })
  await collectWords(client, paid, () =>
    sell({ status: 'SUCCEEDED', output: { work: client.word('reportRunResult', 'output') }, error: null }),
  )
}

async function post<Body>(
  service: TestService,
  path: string,
  options: { token: string; body: object },
): Promise<Body> {
  const { status, text, body } = await service.http<Body>('POST', path, options)
  if (status !== 201) throw new Error(`${path} answered ${status}: ${text}`)
  return body
}
