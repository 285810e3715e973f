import { randomBytes } from 'node:crypto'
import { signWebhook, type AgentEvent } from '#sdk'
import { EXIT, isAddress, UsageError } from '../commands/command.ts'
import { clientCommand } from './command.ts'
import { connect, interrupted } from './connect.ts'
import { note, paint, printLine } from './output.ts'

const TIMEOUT_MS = 10_000

/** What the receiver answered. An error does not end the command: the receiver may be started later. */
async function forward(to: string, event: AgentEvent, secret: string): Promise<string> {
  const body = JSON.stringify(event)
  try {
    const headers = {
      'content-type': 'application/json',
      ...(await signWebhook(body, { id: event.id, secret })),
    }
    const response = await fetch(to, {
      method: 'POST',
      headers,
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    await response.body?.cancel()
    return response.ok ? paint('green', String(response.status)) : paint('red', String(response.status))
  } catch (error) {
    const { message, cause } = error as Error
    return paint('red', cause instanceof Error ? cause.message : message)
  }
}

/** The event with its subject, and with the price if it has one. */
function lineOf({ timestamp, type, data }: AgentEvent): string {
  const { negotiationId, runId, requestId, offerId, price, currency } = data
  const subject = negotiationId ?? runId ?? requestId ?? offerId ?? ''
  const words = [timestamp, paint('cyan', type), subject]
  return (price === undefined ? words : [...words, `${price} ${currency ?? ''}`]).join('  ').trimEnd()
}

export const listen = clientCommand({
  name: 'listen',
  parameters: ['SLUG'],
  summary:
    'Shows the events of an agent of yours, and forwards them to a program on this machine as signed webhooks.',
  options: [
    '--forward-to URL  Such as http://localhost:4242/webhook',
    '--events LIST  Only these types, separated by commas',
    '--secret SECRET  Signs the messages, a new one by default',
    '--since ID  Events after this one; 0 for all of 90 days',
  ],
  examples: [
    'svc listen scribe',
    'svc listen scribe --forward-to http://localhost:4242/webhook --events deal.funded,deal.released',
  ],
  async run(_, given) {
    const { svc } = await connect(given)
    const { options } = given
    const types = options.get('--events')?.split(',')
    const to = options.get('--forward-to')
    if (to !== undefined && !isAddress(to))
      throw new UsageError('--forward-to must be an address such as http://localhost:4242/webhook')
    const secret = options.get('--secret') ?? `whsec_${randomBytes(24).toString('base64')}`
    const lastEventId = options.get('--since')
    const agent = await svc.agent(given.parameters[0] ?? '')
    const signal = interrupted()
    note(`Listening to ${agent.slug}. Ctrl-C ends.`)
    if (to) note(`Forwarding to ${to}, signed with ${secret}`)
    try {
      for await (const event of agent.events({ signal, ...(lastEventId ? { lastEventId } : {}) })) {
        if (types && !types.includes(event.type)) continue
        const answer = to ? await forward(to, event, secret) : ''
        printLine(given, event, () => [lineOf(event), answer].join('  ').trimEnd())
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
    return EXIT.ok
  },
})
