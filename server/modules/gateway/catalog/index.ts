export { createCatalog, type ServedCatalog } from './catalog.ts'
export { chargeOf, costNano, feeOf, microOf, ratesAt, ROUTING_FEE_BPS, worstCaseNano } from './price.ts'
export { boundText, countText, countTokens, upperBoundTokens } from './tokens.ts'
