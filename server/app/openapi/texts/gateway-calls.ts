/** Descriptions of chat completions and of the health of models, by operationId. */
export const GATEWAY_CALLS: Readonly<Record<string, string>> = {
  createChatCompletion:
    "OpenAI's chat completions, whole or with `stream: true` as server-sent events; unknown parameters go to the provider as they are. " +
    '`auto`, `svc/budget`, `svc/balanced` and `svc/performance` let the gateway select the model and fall back to another one before the first byte; a model that you name is used as named. ' +
    'The longest answer is reserved before the call: 402 if balance or budget do not cover it. Without `max_tokens` the answer is limited to 8,192 tokens, or to what the balance affords. ' +
    'The headers `x-svc-model`, `x-svc-cost-usd`, `x-svc-fee-usd`, `x-svc-attempts` and others say what happened. ' +
    'Errors have the form of OpenAI for its SDKs and for keys with `errorFormat: "openai"`. 503 and 504: every model that may answer failed; nothing is charged. ' +
    'A stream that breaks off ends with an event that has `error`, without `[DONE]`.',
  getRoutingHealth: 'Whether the models answer, as the instance that you reach sees it.',
  listModelStatus:
    'Each model with its status and the moving average of its latency, as this instance sees it.',
  listModelHealth:
    'The circuit breakers with their last calls, as this instance sees them. A breaker opens after five failures in a row, or when half of the last 20 calls failed; then it lets one trial through after 10 seconds, and after twice as long each time that fails.',
  probeModels:
    'Sends a short request to every configured model, at the cost of the platform, and records the result in the breakers.',
}
