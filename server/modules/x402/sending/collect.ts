import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { post } from '#ledger'
import { cryptoWallets } from '#wallets'
import { SECOND } from '#platform/kernel/clock'
import type { Services } from '#platform/kernel/services'
import { depositKey, managedKey } from '../chain/keys.ts'
import { ChainAway, type Chain, type Hex } from '../chain/port.ts'
import { gasLeg } from '../gas.ts'
import * as statements from './sql.ts'

const VALID_SECONDS = 3600n
const PATIENCE_MS = 30 * SECOND

/**
 * Brings USDC from managed addresses to the hot address until it has `amount`. The owners sign (EIP-3009) and the hot address
 * pays the gas, so that no other address needs ether. A collection whose answer is lost is found by the next balance. Throws
 * ChainAway if the custody does not have the amount.
 */
export async function collect(services: Services, chain: Chain, amount: bigint): Promise<void> {
  let missing = amount - (await chain.balanceOf(chain.hotAddress))
  if (missing <= 0n) return
  for (const { payTo, depositIndex } of await services.db.rows(
    statements.receivingAddresses(chain.network.id),
  )) {
    const balance = await chain.balanceOf(payTo)
    const key = balance > 0n ? await keyOf(services, payTo, depositIndex) : null
    if (!key) continue
    await move(services, chain, { from: payTo, key, value: balance })
    missing -= balance
    if (missing <= 0n) return
  }
  throw new ChainAway(`the custody lacks ${missing} micro-USDC for a payout`)
}

async function keyOf(services: Services, address: Hex, depositIndex: number | null): Promise<Hex | null> {
  if (depositIndex !== null) return depositKey(services, depositIndex)
  const [wallet] = await services.db.rows(cryptoWallets.managedAddressesAt([address]))
  return wallet ? managedKey(services, wallet.addressIndex) : null
}

async function move(
  services: Services,
  chain: Chain,
  { from, key, value }: { from: Hex; key: Hex; value: bigint },
): Promise<void> {
  const { timestamp } = await chain.head()
  const authorization = {
    from,
    to: chain.hotAddress,
    value,
    validAfter: 0n,
    validBefore: timestamp + VALID_SECONDS,
    nonce: `0x${randomBytes(32).toString('hex')}` as const,
  }
  const txHash = await chain.send(authorization, await chain.sign(key, authorization))
  const deadline = performance.now() + PATIENCE_MS
  for (let pause = 20; ; pause = Math.min(pause * 2, SECOND)) {
    const receipt = await chain.receiptOf(txHash)
    if (receipt) return postGas(services, chain, { txHash, gasWei: receipt.gasWei })
    if (performance.now() > deadline) throw new ChainAway('a collection is in no block yet')
    await sleep(pause)
  }
}

async function postGas(
  services: Services,
  { network }: Chain,
  { txHash, gasWei }: { txHash: Hex; gasWei: bigint },
): Promise<void> {
  await services.db.transaction(tx =>
    post(tx, {
      kind: 'x402_gas',
      key: `x402/gas/${network.id}/${txHash}`,
      legs: [gasLeg(services, network, gasWei)],
      reference: { txHash },
    }),
  )
}
