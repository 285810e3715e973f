const ROUTE =
  'Runs the selection of `POST /v1/chat/completions` on the same request and shows the model, the reasons and the cost. Nothing is charged, nothing leaves the service, and the conversation is not bound to the model. Send either `messages` or `prompt`. 404 for an unknown model, 400 if a listed model lacks what the request asks for, 403 if key, account or constraints allow no model, 503 if no suitable model is available.'

/** Descriptions of the selection of models, by operationId. */
export const GATEWAY_ROUTING: Readonly<Record<string, string>> = {
  previewRoute: ROUTE,
  previewRouteByAlias: ROUTE,
}
