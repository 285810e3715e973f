const PERIOD =
  'Without `from` and `to`: the last 30 days up to now. Each request counts in the period in which it began, within a second of its end.'
const CURSOR = 'The newest first, by pages: send `nextCursor` as `cursor` until it is null.'

/** Descriptions of usage, analytics and outcomes of the gateway, by operationId. */
export const GATEWAY_ANALYTICS: Readonly<Record<string, string>> = {
  listRoutedRequests: `Your requests to the gateway with model, tokens, cost and outcome, without prompts and answers, which are not stored. ${CURSOR} With \`search\`, \`model\`, \`key\` or \`outcome\` a page reads at most 50,000 requests: it may have fewer entries than \`limit\`, or none, although more follow.`,
  getRoutingLog: `The same with \`decision\`: kind of task, complexity and candidates. ${CURSOR}`,
  getUsageSummary: `Requests, tokens, cost, fee, mean latency and share of errors. ${PERIOD}`,
  getUsageSummaryOfKeys: `The totals, and in \`keys\` those of each routing key, the most expensive first. ${PERIOD}`,
  getUsageByModel: `The most expensive model first. ${PERIOD}`,
  getUsageByTier: `From economy to premium. ${PERIOD}`,
  getRoutingSavings: `What your chat requests would have cost at \`baselineModel\`: the same tokens at its prices at the time of each request. Both amounts are exact and without the fee, so that a request to the baseline itself saves nothing. ${PERIOD} 400 for an unknown model.`,
  listRoutingOutcomes: `What you reported about answers. ${CURSOR}`,
  recordRoutingOutcome:
    'Feedback on a response of your account, by its id: `rating`, or `score` from 0 (bad) to 1 (good), never both. A second report replaces the first. Later requests of your account for the same kind of task prefer models with good outcomes; nobody else is affected. 404 for an unknown id, 403 for one of another account.',
}
