// What `kubeseq mcp` uses of the protocol's own library. The build bundles it with all that it needs, and it is loaded by `mcp` alone.

export { Server } from '@modelcontextprotocol/sdk/server/index.js';
export { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
export { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
