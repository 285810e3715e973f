import { once } from 'node:events'
import process from 'node:process'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { asError, isRecord } from '#platform/kernel/unknown'
import { EXIT, isAddress, UsageError, type Command } from './command.ts'

/** JSON-RPC: the server, or what lies between, refused the request. */
const REFUSED = -32_000

export const mcp: Command = {
  name: 'mcp',
  summary:
    'Serves MCP over stdio for the service at SVC_URL, with the key in SVC_API_KEY and, for prompts, that in SVC_ROUTING_KEY.',
  async run() {
    const {
      SVC_URL: url = 'http://localhost:3000',
      SVC_API_KEY: key,
      SVC_ROUTING_KEY: routingKey,
    } = process.env
    if (!key) throw new UsageError('SVC_API_KEY is required: an sk_ or sa_ key of the service')
    if (!isAddress(url))
      throw new UsageError(`"${url}" is no address: SVC_URL must be one such as http://localhost:3000`)
    await relay(new URL('/mcp', url), {
      authorization: `Bearer ${key}`,
      ...(routingKey ? { 'x-api-key': routingKey } : {}),
    })
    return EXIT.ok
  },
}

/** Passes every message between stdio and the MCP endpoint of the service, until stdin ends. */
async function relay(url: URL, headers: Record<string, string>): Promise<void> {
  const [{ StdioServerTransport }, { StreamableHTTPClientTransport }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
  ])
  const client = new StdioServerTransport()
  const server = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  const passed = new Set<Promise<void>>()
  Object.assign(server, {
    onmessage(message: JSONRPCMessage): void {
      const version = protocolVersionIn(message)
      if (version !== null) server.setProtocolVersion(version)
      void client.send(message)
    },
  })
  Object.assign(client, {
    onmessage(message: JSONRPCMessage): void {
      const passing = server
        .send(message)
        .catch((error: unknown) => refuse(message, asError(error)))
        .finally(() => passed.delete(passing))
      passed.add(passing)
    },
  })
  const refuse = async (message: JSONRPCMessage, { message: text }: Error) => {
    process.stderr.write(`svc mcp: ${text}\n`)
    if ('method' in message && 'id' in message)
      await client.send({ jsonrpc: '2.0', id: message.id, error: { code: REFUSED, message: text } })
  }
  await server.start()
  await client.start()
  await once(process.stdin, 'end')
  await Promise.all(passed)
  await server.close()
}

/** The version that the server chose, in its answer to `initialize`. */
function protocolVersionIn(message: JSONRPCMessage): string | null {
  const result = 'result' in message ? message.result : undefined
  return isRecord(result) && typeof result.protocolVersion === 'string' ? result.protocolVersion : null
}
