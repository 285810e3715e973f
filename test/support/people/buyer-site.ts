import { createHash } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { isSignedWebhook, signWebhook } from '#platform/http/webhook-signature'
import { rememberSecret } from '../database/canary.ts'
import { listen } from '../service/verifier-site.ts'

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqrTwjU'
const REPORT = Buffer.from('%PDF-1.4\nreport')

/** What the site answers as a checker. */
export type CheckerAnswer = 'pass' | 'fail' | 'hang' | 'lie' | 'other' | 'garbage' | 'later' | 'broken'

export interface CriterionView {
  key: string
  kind: string
  status: string
  detail: string | null
  checkedAt: string | null
}

/** The site of a buyer, with a checker (`/check`), a page (`/page`) and a file (`/report.pdf`). */
export class BuyerSite {
  readonly base: string
  readonly sha256 = createHash('sha256').update(REPORT).digest('hex')
  answer: CheckerAnswer = 'pass'
  page = '<title>Work</title><p id="done">It is done</p>'
  /** What the checker was asked, and whether the question was signed. */
  readonly asked: { criterion: string; isSigned: boolean }[] = []
  readonly #server: Server

  private constructor(server: Server, port: number) {
    this.#server = server
    this.base = `http://127.0.0.1:${port}`
  }

  static async open(): Promise<BuyerSite> {
    rememberSecret(SECRET, 'the secret of a checker')
    const { server, port } = await listen((request, response) => void site.#serve(request, response))
    const site = new BuyerSite(server, port)
    return site
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
  }

  /** A criterion whose checker is this site. */
  checker(more: object = {}) {
    return { key: 'suite', kind: 'checker', url: `${this.base}/check`, secret: SECRET, ...more }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === '/check') return this.#check(request, response)
    const isFile = request.url === '/report.pdf'
    response.setHeader('content-type', isFile ? 'application/pdf' : 'text/html')
    response.end(isFile ? REPORT : this.page)
  }

  async #check(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { answer } = this
    const chunks: Buffer[] = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const question = Buffer.concat(chunks)
    const timestamp = Math.floor(Date.now() / 1000)
    const isSigned = isSignedWebhook(SECRET, request.headers, question, timestamp)
    this.asked.push({ ...(JSON.parse(question.toString()) as { criterion: string }), isSigned })
    if (answer === 'hang') return
    if (answer === 'later' || answer === 'broken') {
      response.writeHead(answer === 'later' ? 202 : 500).end()
      return
    }
    const result = answer === 'garbage' ? 'maybe' : answer === 'fail' ? 'fail' : 'pass'
    const body = JSON.stringify({ result, reason: `it is a ${answer}` })
    const id = answer === 'other' ? 'another' : String(request.headers['webhook-id'])
    const secret = answer === 'lie' ? 'a secret that the buyer did not set' : SECRET
    response.writeHead(200, signWebhook(secret, { id, timestamp, body })).end(body)
  }
}
