import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { after, before, suite } from 'node:test'
import { registerHuman } from '#test'
import { OAuthMcpClient } from '../support/mcp/oauth.ts'
import { assertAccessible } from './support/checks.ts'
import { openConsole, PASSWORD } from './support/console.ts'

/** What a person sees when a client of /mcp asks for access. */
suite('allowing an OAuth client in the console', () => {
  const console = openConsole()
  let program: Server
  let callback: string
  const answers: URLSearchParams[] = []
  before(async () => {
    program = createServer(({ url = '' }, response) => {
      const { pathname, searchParams } = new URL(url, callback)
      if (pathname === '/callback') answers.push(searchParams)
      response.setHeader('content-type', 'text/html').end('<h1>Back in the program</h1>')
    }).listen(0, '127.0.0.1')
    await once(program, 'listening')
    callback = `http://127.0.0.1:${(program.address() as AddressInfo).port}/callback`
  })
  after(() => program.close())

  console.play('signs in, sets a limit, and the client calls a tool', async visitor => {
    const { page, fill, press, sees, heading } = visitor
    const { email } = await registerHuman(console.service)
    const mcp = new OAuthMcpClient(console.service, callback)
    const transport = mcp.transport()
    await page.goto((await mcp.begin(transport)).href)
    await heading('Sign in')
    await fill({ Email: email, Password: PASSWORD })
    await press('Sign in')
    await heading('Allow Assistant?')
    await sees('Pay into escrow, deliver and release payments')
    await sees('The answer goes to 127.0.0.1')
    await assertAccessible(page)
    await fill({ 'Spending limit': '20' })
    await press('Allow')
    await heading('Back in the program')
    await transport.finishAuth(answers.pop()?.get('code') ?? '')
    const client = await mcp.connect()
    const { isError } = await client.callTool({ name: 'get_balance', arguments: {} })
    assert.ok(!isError)
    await visitor.open('/app/developer/keys')
    await sees('Assistant')
    await sees('$20.00')
    await sees('in 3 months')
  })

  console.play('refuses a client, and a link that asks in another way', async visitor => {
    const { press, heading } = visitor
    await console.newcomer(visitor)
    const mcp = new OAuthMcpClient(console.service, callback)
    const url = await mcp.begin(mcp.transport())
    await visitor.open(`${url.pathname}${url.search}`)
    await press('Refuse')
    await heading('Back in the program')
    const answer = answers.pop()
    assert.deepEqual(
      [answer?.get('error'), answer?.get('state'), answer?.get('iss')],
      ['access_denied', 'of-the-client', console.service.baseUrl],
    )
    await visitor.open('/app/authorize?response_type=token')
    await heading('This link cannot be used')
  })

  console.play(
    'says that a link cannot be used before it asks, where a part of it is wrong',
    async visitor => {
      const { heading, open, sees } = visitor
      await console.newcomer(visitor)
      const mcp = new OAuthMcpClient(console.service, callback)
      const { pathname, searchParams } = await mcp.begin(mcp.transport())
      const wrong = {
        client_id: 'unknown',
        redirect_uri: 'http://127.0.0.1/another',
        scope: 'everything',
        code_challenge: 'too-short',
        resource: 'https://other.example/mcp',
      }
      for (const [name, value] of Object.entries(wrong)) {
        const query = new URLSearchParams({ ...Object.fromEntries(searchParams), [name]: value })
        await open(`${pathname}?${query.toString()}`)
        await heading('This link cannot be used')
        if (name === 'scope') await sees('The program asks for no right that this service has.')
      }
    },
  )
})
