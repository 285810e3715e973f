/** The MCP SDK takes 25 MB and a tenth of a second: it is loaded with the first request. */
export async function loadSdk() {
  const [{ McpServer }, { WebStandardStreamableHTTPServerTransport: Transport }, types, ajv] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/server/mcp.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
      import('@modelcontextprotocol/sdk/validation/ajv'),
    ])
  return {
    McpServer,
    Transport,
    ListTools: types.ListToolsRequestSchema,
    CallTool: types.CallToolRequestSchema,
    validator: new ajv.AjvJsonSchemaValidator(),
  }
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>
