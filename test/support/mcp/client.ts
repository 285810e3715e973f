import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { FetchLike, Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

export type Answer = 'accept' | 'decline' | 'cancel' | 'ignore'

export interface ToolError {
  statusCode: number
  code: string
  message: string
  hint?: string
  details?: unknown
}

type User = Answer | ((question: string) => Promise<Answer>)

interface HttpOptions {
  key: string
  headers?: Record<string, string>
  /** What the user answers; left out, the client cannot ask. */
  answer?: User
  fetch?: FetchLike
}

/** An unmodified client of the MCP SDK, with or without a user who answers questions. */
export class McpClient {
  readonly client: Client
  /** The questions that the user was asked. */
  readonly asked: string[] = []

  private constructor(client: Client) {
    this.client = client
  }

  static async connect(transport: Transport, answer?: User): Promise<McpClient> {
    const capabilities = answer ? { elicitation: {} } : {}
    const client = new Client({ name: 'test', version: '1.0.0' }, { capabilities })
    const mcp = new McpClient(client)
    if (answer)
      client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
        mcp.asked.push(params.message)
        const action = typeof answer === 'string' ? answer : await answer(params.message)
        if (action === 'ignore') return new Promise<never>(() => undefined)
        return action === 'accept' ? { action, content: { confirm: true } } : { action }
      })
    await client.connect(transport)
    // The client then checks results against the output schemas.
    await client.listTools()
    return mcp
  }

  static overHttp(baseUrl: string, { key, headers = {}, answer, fetch }: HttpOptions): Promise<McpClient> {
    const requestInit = { headers: { authorization: `Bearer ${key}`, ...headers } }
    const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit, fetch })
    return McpClient.connect(transport, answer)
  }

  /** The result of a tool that must succeed. */
  async use<Result = Record<string, unknown>>(
    name: string,
    input: Record<string, unknown> = {},
  ): Promise<Result> {
    const result = await this.client.callTool({ name, arguments: input })
    assert.ok(!result.isError, JSON.stringify(result.content))
    return result.structuredContent as Result
  }

  /** The error of a tool that must fail. */
  async refusal(name: string, input: Record<string, unknown> = {}): Promise<ToolError> {
    const result = await this.client.callTool({ name, arguments: input })
    assert.equal(result.isError, true, JSON.stringify(result.structuredContent))
    const error = result._meta?.error as ToolError
    const [content] = result.content as { text: string }[]
    assert.ok(content?.text.startsWith(`${error.code}: `), content?.text)
    return error
  }

  close(): Promise<void> {
    return this.client.close()
  }
}
