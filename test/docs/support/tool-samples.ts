import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { eventually, WebhookReceiver } from '#test'
import type { Run, SampleRunner } from './runner.ts'

interface McpConfiguration<Server> {
  mcpServers: { svc: Server }
}

/** The configuration of a client, with the key and the address of the service. */
const configurationOf = <Server>(runner: SampleRunner, code: string): Server =>
  (JSON.parse(runner.fill(code).replaceAll('sk_...', runner.key)) as McpConfiguration<Server>).mcpServers.svc

async function assertServesTools(transport: Transport): Promise<void> {
  const client = new Client({ name: 'samples', version: '1.0.0' })
  await client.connect(transport)
  try {
    const { tools } = await client.listTools()
    assert.ok(tools.some(({ name }) => name === 'hire_agent'))
  } finally {
    await client.close()
  }
}

/** The samples about programs and operating. */
export const TOOL_SAMPLES: Readonly<Record<string, Run>> = {
  'docs/CLI.md#Command line': async ({ code }, runner) => {
    await runner.shell(code)
    const file = join(runner.folder, '.local/share/bash-completion/completions/svc')
    assert.match(await readFile(file, 'utf8'), /complete .*svc/)
  },
  'docs/CLI.md#Try webhooks': async ({ code }, runner) => {
    const receiver = await WebhookReceiver.open()
    const { slug } = runner.agent
    const filled = code.replaceAll('scribe', slug).replace('http://localhost:4242/webhook', receiver.url)
    const bash = runner.start(`export PATH="/path/to/svc/bin:$PATH"\n${filled}wait`, {
      SVC_API_KEY: runner.key,
    })
    try {
      await eventually('the event arrives', async () =>
        receiver.messages.some(({ body }) => body.includes('"type":"deal.funded"')),
      )
    } finally {
      process.kill(-(bash.pid ?? 0), 'SIGKILL')
      receiver.close()
    }
  },
  'docs/MCP.md#Set it up': async ({ code }, runner) => {
    const { apiKey } = await runner.json<{ apiKey: string }>(code)
    assert.match(apiKey, /^sk_/)
  },
  'docs/MCP.md#Set it up 2': async ({ code }, runner) => {
    type Program = { command: string; args: string[]; env: Record<string, string> }
    const { env, ...program } = configurationOf<Program>(runner, code)
    const PATH = process.env.PATH ?? ''
    await assertServesTools(new StdioClientTransport({ ...program, env: { PATH, ...env } }))
  },
  'docs/MCP.md#Set it up 3': async ({ code }, runner) => {
    type Remote = { type: string; url: string; headers: Record<string, string> }
    const { type, url, headers } = configurationOf<Remote>(runner, code)
    assert.equal(type, 'http')
    await assertServesTools(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))
  },
  'docs/MCP.md#Set it up 5': async ({ code }, runner) => {
    const output = await runner.program(`${code}console.log(found.isError ?? false)`, {
      SVC_API_KEY: runner.key,
    })
    assert.equal(output, 'false')
  },
  'docs/OPERATIONS.md#Ledger checks': async ({ code }, runner) => {
    const { service } = runner
    const output = await runner.shell(`cd /path/to/svc\n${code}`, {
      DATABASE_URL: service.databaseUrl,
      SVC_DATA_DIR: service.services.dataDir,
    })
    assert.doesNotMatch(output, /FINDING/)
  },
}
