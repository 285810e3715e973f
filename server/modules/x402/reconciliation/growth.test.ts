import { test } from 'node:test'
import { assertLinearReads } from '#test'
import type { ChainTransfer, UsedAuthorization } from '../chain/port.ts'
import type { Sending } from '../sending/sql.ts'
import { compareIncoming } from './incoming.ts'
import { compareOutgoing } from './outgoing.ts'
import type { RecordedTransfer } from './sql.ts'

const at = new Date(0)
const numbered = <Row>(count: number, make: (n: number) => Row): Row[] =>
  Array.from({ length: count }, (_, n) => make(n))

const transfer = (n: number): ChainTransfer => ({
  token: '0x0',
  txHash: `0x${n}`,
  logIndex: 1,
  blockNumber: 1n,
  blockHash: '0x1',
  payer: '0x2',
  payTo: '0x3',
  amount: 5n,
})

const recorded = (n: number): RecordedTransfer => ({
  ...transfer(n),
  id: String(n),
  status: 'FINAL',
  network: '',
  amount: '5',
  paymentId: '',
  reason: null,
  journalId: '',
  resolution: null,
  exitJournalId: null,
  returnId: null,
  settledAt: null,
  createdAt: at,
  paymentStatus: 'FINAL',
  paymentAmount: 5n,
})

const sending = (n: number): Sending => ({
  id: String(n),
  status: 'PAID',
  network: '',
  toAddress: '0x3',
  amount: 5n,
  nonce: `0x${n}`,
  validBefore: 1n,
  txHash: `0x${n}`,
  blockNumber: 1n,
  gas: 1n,
  attempts: 1,
  retryAt: null,
  refusal: null,
  failureCode: null,
  failureMessage: null,
  giveUpAt: at,
  createdAt: at,
})

const authorization = (n: number): UsedAuthorization => ({
  payer: '0x2',
  nonce: `0x${n}`,
  txHash: `0x${n}`,
  logIndex: 0,
})

test('the chain is compared with what arrived in proportion to the transfers', () => {
  assertLinearReads('transfers', (count, watch) => {
    const [transfers, rows] = [watch(numbered(count, transfer)), watch(numbered(count, recorded))]
    compareIncoming({ transfers, recorded: rows, lastBlock: 1n })
  })
})

test('the chain is compared with what was sent in proportion to the transfers', () => {
  assertLinearReads('sendings', (count, watch) => {
    const [transfers, used] = [watch(numbered(count, transfer)), watch(numbered(count, authorization))]
    compareOutgoing({ transfers, used, sendings: watch(numbered(count, sending)), lastBlock: 1n })
  })
})
