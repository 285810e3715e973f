import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import type {
  Account,
  Chain as ViemChain,
  HttpTransport,
  PublicActions,
  VerifyTypedDataParameters,
  WalletClient,
} from 'viem'
import type { InTurn } from './client.ts'
import type { Network } from './network.ts'
import { type Hex, type Settlement, type Verdict } from './port.ts'
import { awaitReceipt } from './receipt.ts'

export type FacilitatorClient = WalletClient<HttpTransport, ViemChain, Account> &
  PublicActions<HttpTransport, ViemChain, Account>

interface Options {
  network: Network
  url: string | undefined
  client: FacilitatorClient
  inTurn: InTurn
  timeoutMs: number
}

interface Facilitator {
  verify(payload: object, requirements: object): Promise<Verdict>
  settle(payload: object, requirements: object, onSent: (txHash: Hex) => Promise<void>): Promise<Settlement>
}

/** The facilitator of x402: the one at `url`, or this process with its own gas. */
export const openFacilitator = (options: Options): Promise<Facilitator> =>
  options.url === undefined ? localFacilitator(options) : remoteFacilitator(options.url)

/** What both answer; the payload was checked to be of this protocol, so that the types of the library hold. */
interface Service {
  verify(p: PaymentPayload, r: PaymentRequirements): Promise<{ isValid: boolean; invalidReason?: string }>
  settle(
    p: PaymentPayload,
    r: PaymentRequirements,
  ): Promise<{ success: boolean; transaction: string; errorReason?: string }>
}

const verdictOf = async (service: Service, payload: object, requirements: object): Promise<Verdict> => {
  const { isValid, invalidReason } = await service.verify(
    payload as PaymentPayload,
    requirements as PaymentRequirements,
  )
  return { valid: isValid, reason: invalidReason ?? null }
}

async function settlementOf(service: Service, payload: object, requirements: object): Promise<Settlement> {
  const { success, transaction, errorReason } = await service.settle(
    payload as PaymentPayload,
    requirements as PaymentRequirements,
  )
  const txHash = /^0x[0-9a-f]{64}$/i.test(transaction) ? (transaction as Hex) : null
  return { settled: success, txHash, reason: errorReason ?? null }
}

async function remoteFacilitator(url: string): Promise<Facilitator> {
  const { HTTPFacilitatorClient } = await import('@x402/core/server')
  const service = new HTTPFacilitatorClient({ url })
  return {
    verify: (payload, requirements) => verdictOf(service, payload, requirements),
    async settle(payload, requirements, onSent) {
      const settlement = await settlementOf(service, payload, requirements)
      if (settlement.txHash) await onSent(settlement.txHash)
      return settlement
    },
  }
}

async function localFacilitator(options: Options): Promise<Facilitator> {
  const { x402Facilitator } = await import('@x402/core/facilitator')
  const { registerExactEvmScheme } = await import('@x402/evm/exact/facilitator')
  // One for each settlement, so that it is known which transaction belongs to it.
  const facilitator = (onSent: (txHash: Hex) => Promise<void>) =>
    registerExactEvmScheme(new x402Facilitator(), {
      signer: signerOf(options, onSent),
      networks: options.network.id,
    })
  return {
    verify: (payload, requirements) =>
      verdictOf(
        facilitator(async () => undefined),
        payload,
        requirements,
      ),
    settle: (payload, requirements, onSent) => settlementOf(facilitator(onSent), payload, requirements),
  }
}

function signerOf({ client, inTurn, timeoutMs }: Options, onSent: (txHash: Hex) => Promise<void>) {
  const sent = async (send: () => Promise<Hex>): Promise<Hex> => {
    const txHash = await inTurn(send)
    await onSent(txHash)
    return txHash
  }
  return {
    getAddresses: () => [client.account.address],
    readContract: client.readContract,
    // The library describes the typed data less exactly than viem.
    verifyTypedData: (data: object) => client.verifyTypedData(data as VerifyTypedDataParameters),
    getCode: client.getCode,
    writeContract: (call: Parameters<typeof client.writeContract>[0]) =>
      sent(() => client.writeContract(call)),
    sendTransaction: (call: Parameters<typeof client.sendTransaction>[0]) =>
      sent(() => client.sendTransaction(call)),
    waitForTransactionReceipt: ({ hash }: { hash: Hex }) => awaitReceipt(client, hash, timeoutMs),
  }
}
