import { ADDRESS } from './constants.ts'

/** Examples of payments on a chain, by field name. */
export const CHAIN_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  toAddress: [ADDRESS],
  walletAddress: [ADDRESS],
  wallet_address: [ADDRESS],
  x402WalletAddress: [ADDRESS],
  cryptoAddress: [ADDRESS],
  buyerAddress: [ADDRESS],
  sellerAddress: [ADDRESS],
  payTo: [ADDRESS],
  payer: ['0x70997970C51812dc3A010C7d01b50e0d17dc79C8'],
  address: [ADDRESS],
  network: ['eip155:84532'],
  asset: ['USDC'],
  scheme: ['exact'],
  failure: [null],
  txHash: ['0x9f8f5fd9f6a4a0d2b7f3e0d3a0b1c2d3e4f5061728394a5b6c7d8e9f00112233'],
  resource: ['https://api.example.com/payments/x402/0198c0de-0000-7000-8000-0000000000f6/pay'],
  rpcUrl: ['http://127.0.0.1:8545'],
}
