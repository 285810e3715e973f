import type { Log } from 'viem'
import { MINUTE, SECOND } from '#platform/kernel/clock'
import { authorizationTypes, tokenAbi } from './abi.ts'
import { openFacilitator, type FacilitatorClient } from './facilitator.ts'
import type { Network } from './network.ts'
import { ChainAway, Reverted, type Authorization, type Chain, type ChainTransfer, type Hex } from './port.ts'
import { awaitReceipt, nullIfUnknown } from './receipt.ts'

/** How long a node may take over an answer. */
const TIMEOUT_MS = 10 * SECOND

export interface ChainOptions {
  network: Network
  rpcUrl: string
  /** Key of the address that pays the gas. */
  key: Hex
  /** A facilitator elsewhere; without it this process verifies and settles. */
  facilitatorUrl: string | undefined
  pollingMs: number
}

/** A client of a node. Loads the libraries of the chain, which take half a second and 60 MB. */
export async function openChain({
  network,
  rpcUrl,
  key,
  facilitatorUrl,
  pollingMs,
}: ChainOptions): Promise<Chain> {
  const { createWalletClient, defineChain, http, publicActions } = await import('viem')
  const { privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(key)
  const client = createWalletClient({
    account,
    chain: defineChain({
      id: network.chainId,
      name: network.legacyName,
      nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
      rpcUrls: { default: { http: [rpcUrl] } },
    }),
    transport: http(rpcUrl, { timeout: TIMEOUT_MS, retryCount: 1 }),
    pollingInterval: pollingMs,
    cacheTime: 0,
  }).extend(publicActions)
  const inTurn = sequence()
  const facilitator = await openFacilitator({
    network,
    url: facilitatorUrl,
    client,
    inTurn,
    timeoutMs: MINUTE / 2,
  })
  return {
    ...blocks(client),
    ...events(client, network),
    ...state(client, network),
    ...writing(client, { network, inTurn }),
    ...paying(facilitator),
    network,
    hotAddress: account.address,
  }
}

type Client = FacilitatorClient
/** Runs one call after the other: two transactions that are prepared at once get the same account nonce. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>

function sequence(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return work => {
    const next = last.then(work, work)
    last = next.catch(() => undefined)
    return next
  }
}

function blocks(client: Client) {
  return {
    head: () =>
      answered(async () => {
        const { number, timestamp } = await client.getBlock()
        return { number: number ?? 0n, timestamp }
      }),
    firstBlockAt: (seconds: bigint) =>
      answered(async () => {
        let low = 0n
        let high = ((await client.getBlock()).number ?? 0n) + 1n
        while (low < high) {
          const middle = (low + high) / 2n
          const { timestamp } = await client.getBlock({ blockNumber: middle })
          if (timestamp < seconds) low = middle + 1n
          else high = middle
        }
        return low
      }),
    receiptOf: (hash: Hex) =>
      answered(async () => {
        const receipt = await client.getTransactionReceipt({ hash }).catch(nullIfUnknown)
        return (
          receipt && {
            blockNumber: receipt.blockNumber,
            succeeded: receipt.status === 'success',
            gasWei: receipt.gasUsed * receipt.effectiveGasPrice,
          }
        )
      }),
    gasPrice: () => answered(() => client.getGasPrice()),
  }
}

async function transfers(
  client: Client,
  token: Hex,
  args: { from: Hex[] } | { to: Hex[] },
  [fromBlock, toBlock]: [bigint, bigint],
): Promise<ChainTransfer[]> {
  const logs = await client.getContractEvents({
    address: token,
    abi: tokenAbi,
    eventName: 'Transfer',
    args,
    fromBlock,
    toBlock,
    strict: true,
  })
  return logs.map(transferOf)
}

function events(client: Client, { token }: Network) {
  return {
    transfersTo: (addresses: readonly Hex[], from: bigint, to: bigint) =>
      inChunks({ addresses, from, to }, (some, ...blocks) => transfers(client, token, { to: some }, blocks)),
    transfersFrom: (addresses: readonly Hex[], from: bigint, to: bigint) =>
      inChunks({ addresses, from, to }, (some, ...blocks) =>
        transfers(client, token, { from: some }, blocks),
      ),
    authorizationsUsed: (payers: readonly Hex[], from: bigint, to: bigint) =>
      inChunks({ addresses: payers, from, to }, async (some, fromBlock, toBlock) => {
        const logs = await client.getContractEvents({
          address: token,
          abi: tokenAbi,
          eventName: 'AuthorizationUsed',
          args: { authorizer: some },
          fromBlock,
          toBlock,
          strict: true,
        })
        return logs.map(({ args, transactionHash, logIndex }) => ({
          payer: args.authorizer,
          nonce: args.nonce,
          txHash: transactionHash,
          logIndex,
        }))
      }),
    transfersOf: (hash: Hex) =>
      answered(async () => {
        const { parseEventLogs } = await import('viem')
        const receipt = await client.getTransactionReceipt({ hash }).catch(nullIfUnknown)
        if (!receipt) return []
        return parseEventLogs({ abi: tokenAbi, eventName: 'Transfer', logs: receipt.logs, strict: true }).map(
          transferOf,
        )
      }),
  }
}

function state(client: Client, { token }: Network) {
  return {
    balanceOf: (address: Hex) =>
      answered(() =>
        client.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [address] }),
      ),
    isUsed: (payer: Hex, nonce: Hex) =>
      answered(() =>
        client.readContract({
          address: token,
          abi: tokenAbi,
          functionName: 'authorizationState',
          args: [payer, nonce],
        }),
      ),
  }
}

function writing(client: Client, { network, inTurn }: { network: Network; inTurn: InTurn }) {
  const domain = {
    name: network.tokenName,
    version: network.tokenVersion,
    chainId: network.chainId,
    verifyingContract: network.token,
  }
  return {
    async sign(key: Hex, message: Authorization): Promise<Hex> {
      const { privateKeyToAccount } = await import('viem/accounts')
      return privateKeyToAccount(key).signTypedData({
        domain,
        types: authorizationTypes,
        primaryType: 'TransferWithAuthorization',
        message: { ...message },
      })
    },
    send: ({ from, to, value, validAfter, validBefore, nonce }: Authorization, signature: Hex) =>
      answered(() =>
        inTurn(async () => {
          const call = {
            address: network.token,
            abi: tokenAbi,
            functionName: 'transferWithAuthorization',
            args: [from, to, value, validAfter, validBefore, nonce, signature],
          } as const
          await client.simulateContract({ ...call, account: client.account })
          return client.writeContract(call)
        }),
      ),
    mint: (to: Hex, amount: bigint) =>
      answered(async () => {
        const hash = await inTurn(() =>
          client.writeContract({
            address: network.token,
            abi: tokenAbi,
            functionName: 'mint',
            args: [to, amount],
          }),
        )
        await awaitReceipt(client, hash, TIMEOUT_MS)
        return hash
      }),
  }
}

const paying = ({ verify, settle }: Awaited<ReturnType<typeof openFacilitator>>) => ({
  verify: (payload: object, requirements: object) => answered(() => verify(payload, requirements)),
  settle: (payload: object, requirements: object, onSent: (txHash: Hex) => Promise<void>) =>
    answered(() => settle(payload, requirements, onSent)),
})

type TransferLog = Log<bigint, number, false> & { args: { from: Hex; to: Hex; value: bigint } }

const transferOf = ({
  address,
  transactionHash,
  logIndex,
  blockNumber,
  blockHash,
  args,
}: TransferLog): ChainTransfer => ({
  token: address,
  txHash: transactionHash,
  logIndex,
  blockNumber,
  blockHash,
  payer: args.from,
  payTo: args.to,
  amount: args.value,
})

/** What one call asks a node for. */
const MAX_BLOCKS = 2000n
const MAX_ADDRESSES = 500

/** Asks for events of many addresses in many blocks in calls that a node accepts. */
async function inChunks<T>(
  { addresses, from, to }: { addresses: readonly Hex[]; from: bigint; to: bigint },
  ask: (some: Hex[], fromBlock: bigint, toBlock: bigint) => Promise<T[]>,
): Promise<T[]> {
  const found: T[] = []
  for (let first = from; first <= to; first += MAX_BLOCKS) {
    const last = first + MAX_BLOCKS - 1n < to ? first + MAX_BLOCKS - 1n : to
    for (let index = 0; index < addresses.length; index += MAX_ADDRESSES)
      found.push(...(await answered(() => ask(addresses.slice(index, index + MAX_ADDRESSES), first, last))))
  }
  return found
}

/** The answer of the node; throws Reverted if the contract refused, ChainAway for any other failure. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (cause) {
    if (cause instanceof Error && isRevert(cause)) throw new Reverted(summaryOf(cause), { cause })
    throw new ChainAway(cause instanceof Error ? summaryOf(cause) : 'no answer', { cause })
  }
}

const summaryOf = (error: Error): string =>
  'shortMessage' in error && typeof error.shortMessage === 'string' ? error.shortMessage : error.message

const REVERTS = new Set(['ContractFunctionRevertedError', 'ExecutionRevertedError'])
function isRevert(error: Error): boolean {
  for (let each: unknown = error; each instanceof Error; each = each.cause)
    if (REVERTS.has(each.name)) return true
  return false
}
