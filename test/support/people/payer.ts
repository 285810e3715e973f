import assert from 'node:assert/strict'
import type { PrivateKeyAccount } from 'viem'
import { noticeSignature } from '../../../server/modules/x402/watch/notice.ts'
import { chainOf, localChain } from '../../../server/modules/x402/chain/open.ts'
import { request } from '../../../server/modules/x402/chain/local.ts'
import { authorizationTypes, tokenAbi } from '../../../server/modules/x402/chain/abi.ts'
import type { Chain, Hex } from '../../../server/modules/x402/chain/port.ts'
import { awaitReceipt } from '../../../server/modules/x402/chain/receipt.ts'
import { MINUTE } from '#platform/kernel/clock'
import type { Answer, TestService } from '../service/service.ts'

/** What the operations of x402 answer, errors included. */
export interface X402Answer {
  transactionId: string
  status: string
  txHash: string | null
  payer: string | null
  failure: string | null
  payUrl: string
  statusUrl: string
  sellerAddress: Hex
  paymentRequest: { to: Hex; amount: number; currency: string; network: string; reference: string }
  accepts: Record<string, unknown>[]
  x402Version: number
  code: string
  hint: string
  details: { reason: string | null; status: string }
}

/** Requests a payment to an agent, as the person with the token. */
export async function requestX402(
  service: TestService,
  { token }: { token: string },
  asked: { agentId: string; amount: number | string; [field: string]: unknown },
): Promise<X402Answer> {
  const { status, text, body } = await service.http<X402Answer>('POST', '/payments/x402/initiate', {
    token,
    body: asked,
  })
  assert.equal(status, 200, text)
  return body
}

interface Signing {
  /** Fields of the authorization that differ from what was asked for. */
  authorization?: Partial<Record<'to' | 'value' | 'validAfter' | 'validBefore' | 'nonce', string>>
  /** Fields beside it, after the signing. */
  payload?: Record<string, unknown>
  version?: 1 | 2
}

const GWEI = 1_000_000_000n

/** Somebody with a key and test USDC on the local chain. */
export class Payer {
  readonly service: TestService
  readonly account: PrivateKeyAccount

  constructor(service: TestService, account: PrivateKeyAccount) {
    this.service = service
    this.account = account
  }

  /** With `usdc` from the faucet. */
  static async open(service: TestService, usdc = 100): Promise<Payer> {
    return Payer.#fund(service, await newAccount(), usdc)
  }

  /** A contract that holds the money, as a smart wallet: it accepts what `owner` signs (ERC-1271). */
  static async openContract(service: TestService, usdc = 100): Promise<Payer> {
    const [owner, { address }] = await Promise.all([newAccount(), newAccount()])
    await rpc(service, 'anvil_setCode', [address, contractOf(owner.address)])
    return Payer.#fund(service, { ...owner, address }, usdc)
  }

  static async #fund(service: TestService, account: PrivateKeyAccount, usdc: number): Promise<Payer> {
    const body = { address: account.address, amount: usdc || 1 }
    if (usdc) accepted(await service.http('POST', '/sandbox/chain/faucet', { body }))
    return new Payer(service, account)
  }

  /** `fetch` of the stock client, which pays a 402 and repeats the request. */
  async fetch(version: 1 | 2 = 2): Promise<typeof fetch> {
    const { wrapFetchWithPayment, x402Client } = await import('@x402/fetch')
    const { ExactEvmScheme, registerExactEvmScheme } = await import('@x402/evm/exact/client')
    const client = new x402Client()
    return wrapFetchWithPayment(
      fetch,
      version === 1
        ? registerExactEvmScheme(client, { signer: this.account })
        : client.register('eip155:*', new ExactEvmScheme(this.account)),
    )
  }

  /** The header that pays the resource at `path`, signed by hand, so that parts of it can be wrong. */
  async header(path: string, { authorization: changes, payload: more, version = 2 }: Signing = {}) {
    const unpaid = await this.service.http<X402Answer>('GET', path)
    const required = JSON.parse(
      Buffer.from(unpaid.headers.get('payment-required') ?? '', 'base64').toString(),
    ) as { accepts: [Record<string, string>] }
    const [accepted] = required.accepts
    const [legacy] = unpaid.body.accepts
    const seconds = Math.floor(Date.now() / 1000)
    const authorization = {
      from: this.account.address,
      to: accepted.payTo,
      value: accepted.amount,
      validAfter: String(seconds - 60),
      validBefore: String(seconds + 300),
      nonce: randomNonce(),
      ...changes,
    }
    const signature = await this.sign(authorization as Record<string, string>)
    const payload = { signature, authorization }
    const value =
      version === 2
        ? { x402Version: 2, accepted, payload, ...more }
        : { x402Version: 1, scheme: 'exact', network: legacy?.network, payload, ...more }
    return {
      [version === 2 ? 'payment-signature' : 'x-payment']: Buffer.from(JSON.stringify(value)).toString(
        'base64',
      ),
    }
  }

  private async sign(message: Record<string, string>): Promise<Hex> {
    const { network } = await chainOf(this.service.services)
    return this.account.signTypedData({
      domain: {
        name: network.tokenName,
        version: network.tokenVersion,
        chainId: network.chainId,
        verifyingContract: network.token,
      },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: message.from as Hex,
        to: message.to as Hex,
        value: BigInt(message.value ?? 0),
        validAfter: BigInt(message.validAfter ?? 0),
        validBefore: BigInt(message.validBefore ?? 0),
        nonce: message.nonce as Hex,
      },
    })
  }

  /** A plain transfer from a wallet that knows nothing of x402; `token` other than USDC for a wrong one. */
  async transfer(to: Hex, amount: bigint, token?: Hex): Promise<Hex> {
    const { createWalletClient, http, publicActions } = await import('viem')
    const { network } = await chainOf(this.service.services)
    const { url } = await localChain(this.service.services)
    const client = createWalletClient({
      account: this.account,
      transport: http(url),
      pollingInterval: 20,
    }).extend(publicActions)
    const hash = await client.writeContract({
      chain: null,
      address: token ?? network.token,
      abi: [
        {
          type: 'function',
          name: 'transfer',
          stateMutability: 'nonpayable',
          inputs: [
            { name: 'to', type: 'address' },
            { name: 'value', type: 'uint256' },
          ],
          outputs: [{ name: '', type: 'bool' }],
        },
      ],
      functionName: 'transfer',
      args: [to, amount],
    })
    await awaitReceipt(client, hash, MINUTE)
    return hash
  }

  /** The next plain transfer, signed and not sent: the same transaction may be put into several blocks. */
  async signedTransfer(to: Hex, amount: bigint, { fee = 1n } = {}): Promise<{ raw: Hex; hash: Hex }> {
    const { createPublicClient, encodeFunctionData, http, keccak256, parseAbi } = await import('viem')
    const { network } = await chainOf(this.service.services)
    const { url } = await localChain(this.service.services)
    const { address } = this.account
    const raw = await this.account.signTransaction({
      chainId: network.chainId,
      nonce: await createPublicClient({ transport: http(url) }).getTransactionCount({ address }),
      to: network.token,
      data: encodeFunctionData({
        abi: parseAbi(['function transfer(address to, uint256 value) returns (bool)']),
        args: [to, amount],
      }),
      gas: 200_000n,
      maxFeePerGas: 100n * GWEI,
      maxPriorityFeePerGas: fee * GWEI,
    })
    return { raw, hash: keccak256(raw) }
  }

  /** Another token, of which the payer has some. */
  async otherToken(): Promise<Hex> {
    const { createWalletClient, http, publicActions } = await import('viem')
    const { network } = await chainOf(this.service.services)
    const { url } = await localChain(this.service.services)
    const token = '0x00000000000000000000000000000000000c0ffe'
    const code = await rpc(this.service, 'eth_getCode', [network.token, 'latest'])
    await rpc(this.service, 'anvil_setCode', [token, code])
    const client = createWalletClient({ account: this.account, transport: http(url) }).extend(publicActions)
    const args = [this.account.address, 5_000_000n] as const
    await client.writeContract({ chain: null, address: token, abi: tokenAbi, functionName: 'mint', args })
    return token
  }

  balance(): Promise<bigint> {
    return balanceOnChain(this.service, this.account.address)
  }
}

async function newAccount(): Promise<PrivateKeyAccount> {
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  return privateKeyToAccount(generatePrivateKey())
}

/**
 * The code of a contract whose `isValidSignature(bytes32 hash, bytes signature)` gives the magic value 0x1626ba7e if
 * ECRECOVER finds `owner`, and zeros otherwise: the arguments go to memory as the precompiled contract takes them.
 */
const contractOf = (owner: Hex): Hex =>
  `0x60043560005260a43560f81c602052606435604052608435606052602060806080600060015afa5060805173${owner.slice(2)}14631626ba7e0260e01b60005260206000f3`

function accepted({ status, text }: Answer<unknown>): void {
  if (status > 201) throw new Error(`answered ${status}: ${text}`)
}

const randomNonce = (): string =>
  `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`

const balanceOnChain = async (service: TestService, address: Hex): Promise<bigint> =>
  (await chainOf(service.services)).balanceOf(address)

/** The chain of the service, whose calls a test may replace. */
export const chainOfService = (service: TestService): Promise<Chain> => chainOf(service.services)

/** A call of the node that only a test chain knows. */
export const rpc = async (service: TestService, method: string, params: unknown[] = []): Promise<unknown> =>
  request((await localChain(service.services)).url, method, params)

/** A signed notification of the chain, after which the service reads it. */
export function chainNotice(
  service: TestService,
  body: object = {},
  signature?: string,
): Promise<Answer<{ transfers: number; code: string }>> {
  const text = JSON.stringify(body)
  const secret = service.services.config.X402_WEBHOOK_SECRET ?? ''
  return service.http('POST', '/webhooks/x402', {
    body: text,
    headers: { 'x-webhook-signature': signature ?? noticeSignature(text, secret) },
  })
}

/** Adds a block, so that transfers are final, and lets the service read it. */
export async function mine(service: TestService): Promise<void> {
  await rpc(service, 'anvil_mine', ['0x1'])
  accepted(await chainNotice(service))
}
