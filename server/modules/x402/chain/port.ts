import type { Network } from './network.ts'

export type Hex = `0x${string}`

/** The newest block; `timestamp` is its time in Unix seconds, by which authorizations expire. */
export interface Head {
  number: bigint
  timestamp: bigint
}

/** A transfer of a token as the chain reports it. Addresses have their checksum. */
export interface ChainTransfer {
  token: Hex
  txHash: Hex
  logIndex: number
  blockNumber: bigint
  blockHash: Hex
  payer: Hex
  payTo: Hex
  amount: bigint
}

/** An authorization that the token has consumed. */
export interface UsedAuthorization {
  payer: Hex
  nonce: Hex
  txHash: Hex
  logIndex: number
}

/** What a transaction that was mined cost, in wei, and whether it took effect. */
export interface Receipt {
  blockNumber: bigint
  succeeded: boolean
  gasWei: bigint
}

/** An order to the token, signed by the owner of the money (EIP-3009). The token executes each nonce at most once. */
export interface Authorization {
  from: Hex
  to: Hex
  value: bigint
  validAfter: bigint
  validBefore: bigint
  nonce: Hex
}

/** The verdict of a facilitator on a payment. */
export interface Verdict {
  valid: boolean
  reason: string | null
}

/** The result of a settlement; without `txHash` it is unknown whether anything was sent. */
export interface Settlement {
  settled: boolean
  txHash: Hex | null
  reason: string | null
}

/**
 * What the service asks of an EVM node. Each call may throw ChainAway; it is safe to repeat all of them, because the token
 * executes an authorization at most once.
 */
export interface Chain {
  readonly network: Network
  /** Pays gas and payouts. */
  readonly hotAddress: Hex
  head(): Promise<Head>
  /** The first block that is not older than a moment in Unix seconds; the one after the newest if all are. */
  firstBlockAt(seconds: bigint): Promise<bigint>
  /** Transfers of the token to the addresses in blocks `from` to `to`, in the order of the chain. */
  transfersTo(addresses: readonly Hex[], from: bigint, to: bigint): Promise<ChainTransfer[]>
  /** The same, from the addresses. */
  transfersFrom(addresses: readonly Hex[], from: bigint, to: bigint): Promise<ChainTransfer[]>
  /** Authorizations of these payers that were used in the blocks. */
  authorizationsUsed(payers: readonly Hex[], from: bigint, to: bigint): Promise<UsedAuthorization[]>
  /** All transfers of one transaction, of whatever token; none if it is not in the chain. */
  transfersOf(txHash: Hex): Promise<ChainTransfer[]>
  receiptOf(txHash: Hex): Promise<Receipt | null>
  balanceOf(address: Hex): Promise<bigint>
  isUsed(payer: Hex, nonce: Hex): Promise<boolean>
  gasPrice(): Promise<bigint>
  /** Signs an authorization with the key of `from`. */
  sign(key: Hex, authorization: Authorization): Promise<Hex>
  /** Sends a signed authorization and pays the gas. Throws Reverted if the token refuses it. */
  send(authorization: Authorization, signature: Hex): Promise<Hex>
  /** Gives an address units of the test token and waits until it has them; the real token refuses it. */
  mint(to: Hex, amount: bigint): Promise<Hex>
  /** Checks a payment of an x402 client by its signature, its balance and a simulation. */
  verify(payload: object, requirements: object): Promise<Verdict>
  /** Sends the payment and waits until it is in a block; `onSent` gets the transaction first. */
  settle(payload: object, requirements: object, onSent: (txHash: Hex) => Promise<void>): Promise<Settlement>
}

/** The node was not reached, or gave no answer: whether it did what was asked is unknown. */
export class ChainAway extends Error {}

/** The token refuses a transaction: nothing was sent. */
export class Reverted extends Error {}
