/** Descriptions of the other APIs of the gateway, by operationId. */
export const GATEWAY_SURFACES: Readonly<Record<string, string>> = {
  createMessage:
    "Anthropic's Messages, whole or with `stream: true` as its events, for every model of `GET /v1/models` and the virtual names. " +
    'Limits, budgets, reservations and usage are those of chat completions. `input_tokens` excludes cached tokens, `metadata.user_id` is the end user. ' +
    "Errors have Anthropic's form beside `statusCode` and `message`. 400 for MCP servers, containers, regions, PDF documents and tools that run at the provider.",
  countMessageTokens:
    'Counts with the tokenizer of the gateway: an estimate, other vendors count up to a third more or less. Costs nothing; counts as a request of the key.',
  createResponse:
    "OpenAI's Responses, whole or with `stream: true` as its events. Limits, budgets, reservations and usage are those of chat completions. " +
    'Nothing is stored: send the whole conversation as `input`. 400 for `previous_response_id`, `conversation`, `prompt`, `background`, `truncation: "auto"`, log probabilities, parameters of chat completions and built-in tools.',
  createEmbeddings:
    'A vector for each input, as floats or base64. The longest count of tokens is reserved before the call: 402 if balance or budget do not cover it. ' +
    'There is no fallback, because vectors of two models cannot be compared; 404 names the models. A caller who leaves pays for the vectors.',
}
