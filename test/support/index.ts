import './service/statuses.ts'
export { assertLinear, assertLinearReads } from './linear.ts'
export { Random } from './random.ts'
export { assertNoSecretIn, dumpOf, rememberCall, rememberSecret, secretsSeen } from './database/canary.ts'
export { Balancer } from './service/balancer.ts'
export { startBrowser, type TestBrowser } from './browser/browser.ts'
export { visit, VISIT_LIMIT, visitorOn, type Visitor } from './browser/visit.ts'
export { createTestDatabase, withDatabase, type TestDatabase } from './database/database.ts'
export { anonymousContext, sessionContext } from './service/context.ts'
export { holdingLocks, type Holder } from './database/locks.ts'
export { openTestDb, type TestDb } from './database/db.ts'
export { useProductionHashing } from './service/hashing.ts'
export { sealAll } from './database/sealing.ts'
export { sharedChainService, sharedService } from './service/shared.ts'
export { freePort } from './service/port.ts'
export {
  call,
  LIVE_PROCESSOR,
  startTestService,
  type Answer,
  type CallOptions,
  type Instance,
  type TestService,
} from './service/service.ts'
export {
  claimedAgent,
  fund,
  joinOrganization,
  makeAdmin,
  registerAdmin,
  publishAgent,
  registerHuman,
  type ClaimedAgent,
  type ListedAgent,
  type Person,
} from './people/people.ts'
export { copyService } from './service/copy.ts'
export { childrenOf } from './service/children.ts'
export { readStartScript, type StartScript } from './service/start-script.ts'
export { startServerProcess, type ServerProcess } from './service/process.ts'
export {
  acceptedDeal,
  cardDeal,
  as,
  deliveredDeal,
  heldDeal,
  must,
  negotiate,
  openMarket,
  readDeal,
  readEscrow,
  reservedDeal,
  type DealView,
  type EscrowView,
  type Market,
  type Role,
} from './people/deals.ts'
export { allStatementsOf, statementsOf } from './database/statements.ts'
export { recordQueries, type RecordedQuery } from './queries.ts'
export { linkTo, mailsSettled, mailsTo, mailTo, type SentMail } from './service/mail.ts'
export { openLine, type Line } from './database/severable-connection.ts'
export { dereference, everyOperation, readDocument } from './openapi/openapi.ts'
export { MarketTrial, type Accepted, type List, type NeedBody, type OfferBody } from './people/market.ts'
export { BudgetTrial, refusalOf } from './organizations/budgets.ts'
export { KeyTrial, type MadeKey } from './people/keys.ts'
export { contractFixtures, type ContractFixture } from './processor/contract.ts'
export { openSandboxFixture } from './processor/sandbox.ts'
export { connectBank, PayoutTrial, type Payout } from './people/payouts.ts'
export { openStripeFixture, type StripeFixture } from './processor/stripe.ts'
export {
  chainNotice,
  chainOfService,
  mine,
  Payer,
  requestX402,
  rpc,
  type X402Answer,
} from './people/payer.ts'
export {
  availableOf,
  closeDispute,
  disputedFunding,
  fundingBy,
  notifyOf,
  openDispute,
  pendingPage,
  processorEvent,
  makeTrue,
  processorIdOf,
  sendEvent,
  suspendMoney,
} from './people/processor.ts'
export { AffiliateTrial, type CommissionBody, type Earner } from './people/affiliates.ts'
export { ChargebackTrial, eventually, type ChargebackView } from './people/chargebacks.ts'
export { StreamClient, type StreamedEvent } from './service/event-stream.ts'
export { BuyerSite, type CheckerAnswer, type CriterionView } from './people/buyer-site.ts'
export {
  ProviderBrowser,
  startWithIdentityProvider,
  type ProviderPeople,
  type ServiceWithProvider,
} from './service/identity-provider.ts'
export { WebhookReceiver, type ReceivedMessage } from './service/webhook-receiver.ts'
export {
  ProgrammableUpstream,
  type Step as UpstreamStep,
  type UpstreamFault,
  type UpstreamRequest,
} from './gateway/upstream.ts'
export {
  joinChunks,
  PROVIDER_APIS,
  ProviderTrial,
  readStream,
  upstreamCall,
  upstreamFailure,
  upstreamParts,
  type ProviderAndApi,
} from './gateway/provider-trial.ts'
