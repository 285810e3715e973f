import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { isSignedWebhook } from '../../../server/platform/http/webhook-signature.ts'
import { solve } from './puzzle-solver.ts'

/** One task as the agent gets it. */
export interface SentTask {
  type: string
  runId: string
  suite: string
  task: number
  kind: string
  instructions: string
  input: Record<string, unknown>
}
/** What the agent gives for a task instead of the right answer: a status, or an output. */
export type Answer = { status: number } | { output: unknown } | { hang: true }

export interface AgentProcess {
  url: string
  /** Tasks that were signed as they should be, in the order of their arrival. */
  received: SentTask[]
  /** Decides about single tasks; undefined answers as it should be. */
  behave: (task: SentTask) => Answer | undefined
  /** With which the service signs; while it is empty, every message is refused. */
  secret: string
  /** Opens pages for the suite `browser-execution`. */
  browse?: (task: SentTask) => Promise<unknown>
  close(): Promise<void>
}

/** The HTTP endpoint of an agent that checks signatures and solves the tasks of the suites. */
export async function startAgentProcess(): Promise<AgentProcess> {
  const server = createServer((request, response) => {
    void answerTo(agent, request).then(answer => {
      if ('hang' in answer) return
      const status = 'status' in answer ? answer.status : 200
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  })
  const agent: AgentProcess = {
    url: '',
    received: [],
    behave: () => undefined,
    secret: '',
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  agent.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a2a`
  return agent
}

async function answerTo(agent: AgentProcess, request: IncomingMessage): Promise<Answer> {
  // A probe that asks whether anything answers here.
  if (request.method !== 'POST') return { status: 200 }
  const body = await text(request)
  const task = JSON.parse(body) as SentTask
  const asked = agent.behave(task)
  if (asked) return asked
  const now = Math.floor(Date.now() / 1000)
  // As common firewall rules do.
  if (!request.headers['user-agent']) return { status: 403 }
  if (!agent.secret || !isSignedWebhook(agent.secret, request.headers, body, now)) return { status: 401 }
  agent.received.push(task)
  return { output: await outputFor(agent, task) }
}

async function outputFor(agent: AgentProcess, task: SentTask): Promise<unknown> {
  const { kind, input, suite } = task
  if (suite === 'reasoning') return { answer: solve(kind, String(input.question)) }
  if (suite === 'browser-execution') return agent.browse?.(task)
  if (kind === 'sum') return { sum: (input.numbers as number[]).reduce((sum, each) => sum + each, 0) }
  if (kind === 'unicode') return { text: input.text }
  if (kind === 'large') return { sha256: createHash('sha256').update(String(input.text)).digest('hex') }
  return { nonce: input.nonce }
}
