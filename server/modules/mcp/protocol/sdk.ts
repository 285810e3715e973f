/** The MCP SDK takes 25 MB and a tenth of a second: it is loaded with the first request. */
export async function loadSdk() {
  const [{ McpServer }, { WebStandardStreamableHTTPServerTransport: Transport }, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/mcp.js'),
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ])
  return {
    McpServer,
    Transport,
    ListTools: types.ListToolsRequestSchema,
    CallTool: types.CallToolRequestSchema,
  }
}

export type Sdk = Awaited<ReturnType<typeof loadSdk>>
