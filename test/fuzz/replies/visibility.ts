type Rule = readonly [pattern: RegExp, reason: string]

/** Fields that anybody may read. */
const PUBLIC: readonly Rule[] = [
  [/^(?:POST|PUT|PATCH) \/agents(?:\/\{id\}|\/announce|\/register)? /, 'the listing of an agent'],
  [/^POST \/market\/needs /, 'a need is published for everybody to offer'],
  [/^POST \/agents\/\{id\}\/reviews(?:\/\{reviewId\}\/reply)? /, 'a rating and the answer to it'],
  [
    /^POST \/affiliates\/apply (?:code|displayName)$/,
    'a referral code, which links carry, and the name that it stands for',
  ],
  [/^POST \/certification-runs/, 'a certification run is a public record'],
  [/ username$|^POST \/auth\/register-agent agentDisplayName$/, 'the public names of an agent account'],
]

/** Fields that reach those who have a deal, a transfer or an organization in common with the author. */
const SHARED: readonly Rule[] = [
  [/^POST \/(?:ap2|payments|a2a|agents\/a2a)(?:\/| )/, 'the texts of a deal, for its parties'],
  [/^POST \/agents\/\{id\}\/(?:execute|runs)/, 'input and output of a run, for buyer and agent'],
  [/^POST \/market\/needs\/\{id\}\/offers /, 'an offer, for the author of the need'],
  [/^POST \/vault/, 'a file that was delivered, for the buyer'],
  [/^POST \/wallets\/(?:\{id\}\/transfer|transfer) /, 'the memo of a transfer, for its receiver'],
  [/^(?:POST|PATCH) \/organizations/, 'an organization, for its members'],
  [/^(?:POST \/auth\/register|PATCH \/users\/me) displayName$/, 'the name of a person, for fellow members'],
  [
    /^POST \/(?:admin\/|wallets\/admin\/|affiliates\/admin\/|agents\/\{id\}\/review )/,
    'the reason of a decision, for whom it concerns',
  ],
]

/** Operations that show data of other tenants on purpose. */
const OPEN: readonly Rule[] = [
  [/^GET \/sandbox\/mail$/, 'the mailbox of the sandbox, for clients on the same machine'],
  [
    /^(?:GET|POST) \/sandbox\/(?:checkout|onboarding)\/\{id\}$/,
    'a page of the processor: its address is the secret',
  ],
  [/^GET \/users\/me\/invitations$/, 'the organizations that invite the reader'],
  [/^(?:GET|POST) \/payments\/x402\/\{id\}/, 'a requested payment: its address is the secret'],
]

interface Travel {
  /** The field that a canary was written to. */
  field: string
  /** The operation that showed it. */
  operation: string
  /** Whether the author and the reader have a deal, a transfer or an organization in common. */
  isRelated: boolean
}

const covers = (rules: readonly Rule[], text: string): boolean =>
  rules.some(([pattern]) => pattern.test(text))

/** Whether a text may reach somebody other than its author. */
export const mayTravel = ({ field, operation, isRelated }: Travel): boolean =>
  covers(OPEN, operation) || covers(PUBLIC, field) || (isRelated && covers(SHARED, field))
