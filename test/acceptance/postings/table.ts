/** One event that moves money, and the one journal that it posts. */
export interface Row {
  /** What happens. */
  event: string
  /** The kind of the journal; empty where nothing is posted. */
  kind: string
  /** The key, with which it is posted once. Words in braces are ids of the case. */
  key: string
  /** `debit->credit amount`, in USD unless it says USDC; `*` for an amount that the chain decides. */
  legs: readonly string[]
}

/**
 * Every posting of the service: name, event, kind, key, legs. One test drives each row over HTTP; a kind of journal without a
 * row fails it.
 */
const TABLE = `
# Cards
cardFunding          | a wallet is funded by card                           | fund                   | payment/{payment}                   | 1010->2010:{payer} 200; 5010->1010 6.1
lateFee              | the fee of a payment is reported later               | fee                    | payment/{payment}/fee               | 5010->1010 0.59
hostedHire           | an agent is hired on a hosted page                   | fund                   | payment/{escrow}                    | 1010->2010:{buyer} 5; 2010:{buyer}->2020:{escrow} 5; 5010->1010 0.45
cardHire             | an agent is hired by card                            | fund                   | payment/{escrow}                    | 1010->2010:{buyer} 5; 2010:{buyer}->2020:{escrow} 5; 5010->1010 0.45
cardEscrow           | a card pays for an agreed deal                       | fund                   | payment/{escrow}                    | 1010->2010:{buyer} 100; 2010:{buyer}->2020:{escrow} 100; 5010->1010 3.2
lateCard             | the card pays for an escrow that is CANCELLED        | fund                   | payment/{escrow}                    | 1010->2010:{buyer} 100; 5010->1010 0.59
cardSuspense         | the processor takes in another amount than asked for | suspense               | suspense/{money}                    | 1010->2070 14; 5010->1010 0.59
suspenseCorrected    | the processor corrects the amount                    | fund                   | payment/{payment}                   | 1010->2010:{payer} 20; 5010->1010 0.59; 2070->1010 14; 1010->5010 0.59
suspenseAssigned     | an admin assigns the money to a wallet               | suspense_assigned      | suspense/{money}/exit               | 2070->2010:{payer} 14
suspenseReturned     | an admin returned the money at the processor         | suspense_returned      | suspense/{money}/exit               | 2070->1010 14

# Wallets and vouchers
transfer             | a transfer of real money                             | transfer               | transfer/{request}                  | 2010:{from}->2010:{to} 5
testTransfer         | a transfer of test credit                            | transfer               | transfer/{request}                  | 2011:{from}->2011:{to} 5
testCredit           | an admin issues test credit                          | test_credit            | test_credit/{request}               | 1090->2011:{to} 150
promotion            | an admin grants a promotion                          | promotion              | promotion/{request}                 | 5060->2010:{to} 25
voucherCreate        | a voucher is created                                 | voucher_create         | voucher/{voucher}/create            | 2010:{creator}->2030:{voucher} 3
voucherRedeem        | a voucher is redeemed                                | voucher_redeem         | voucher/{voucher}/redeem            | 2030:{voucher}->2010:{redeemer} 3
voucherCancel        | a voucher is cancelled                               | voucher_cancel         | voucher/{voucher}/cancel            | 2030:{voucher}->2010:{creator} 3
voucherExpire        | a voucher expires                                    | voucher_expire         | voucher/{voucher}/expire            | 2030:{voucher}->2010:{creator} 3
agentToOwner         | an agent pays its owner                              | agent_to_user          | agent-to-user/{request}             | 2010:{agent}->2010:{owner} 2
accountDeleted       | an account with a balance is deleted                 | account_deleted        | account-deleted/{wallet}/{request}  | 2010:{wallet}->2140 7; 2011:{wallet}->1090 4
organizationClosed   | an organization with a balance ends                  | organization_closed    | account-deleted/{wallet}/{request}  | 2010:{wallet}->2140 9
unclaimedAssigned    | an admin assigns unclaimed funds                     | unclaimed_assigned     | unclaimed/{wallet}/{request}        | 2140->2010:{to} 7

# Deals
hold                 | a wallet pays into escrow                            | ap2.hold               | {deal}                              | 2010:{buyer}->2020:{escrow} 100
testHold             | test credit pays into escrow                         | ap2.hold               | {deal}                              | 2011:{buyer}->2020:{escrow} 100
partRelease          | a part is released                                   | ap2.release            | {escrow}:1                          | 2020:{escrow}->2010:{seller} 26.672; 2020:{escrow}->4010 6.668
release              | the rest is released                                 | ap2.release            | {escrow}:2                          | 2020:{escrow}->2010:{seller} 53.328; 2020:{escrow}->4010 13.332
proRelease           | a release to a seller with Pro                       | ap2.release            | {escrow}:1                          | 2020:{escrow}->2010:{seller} 90; 2020:{escrow}->4010 10
recovery             | a release to a seller that owes                      | ap2.release            | {escrow}:1                          | 2020:{escrow}->2010:{seller} 80; 2020:{escrow}->4010 20; 2010:{seller}->1050:{owner} 30
refund               | a refund to the wallet                               | ap2.refund             | {escrow}:r1                         | 2020:{escrow}->2010:{buyer} 100
cardRefund           | a refund to the card                                 | ap2.refund             | {escrow}:r1                         | 2020:{escrow}->1010 100
refundFailed         | the card does not take its refund                    | refund_failed          | refund/{refund}/failed              | 1010->2010:{buyer} 100
testRelease          | a release of test credit                             | ap2.release            | {escrow}:1                          | 2020:{escrow}->2011:{seller} 80; 2020:{escrow}->1090 20
testRefund           | a refund of test credit                              | ap2.refund             | {escrow}:r1                         | 2020:{escrow}->2011:{buyer} 100
freeze               | an escrow is frozen                                  |                        |  |                                  |
unfreeze             | an escrow is unfrozen                                |                        |  |                                  |
split                | a dispute ends in a split                            | ap2.split              | {dispute}                           | 2020:{escrow}->2010:{seller} 32; 2020:{escrow}->4010 8; 2020:{escrow}->2010:{buyer} 60

# Routing gateway
routingTestCredit    | the first routing key of an account is created       | routing_test_credit    | routing_test_credit/{key}           | 1090->2041:{account} 5

# Payouts
payoutRequested      | a payout is requested                                | payout_requested       | payout/{payout}/requested           | 2010:{wallet}->2060:{payout} 25
payoutPaid           | a payout arrives                                     | payout_paid            | payout/{payout}/paid                | 2060:{payout}->1010 25
payoutCanceled       | a payout is canceled                                 | payout_canceled        | payout/{payout}/canceled            | 2060:{payout}->2010:{wallet} 1001
payoutFailed         | a payout fails                                       | payout_failed          | payout/{payout}/failed              | 2060:{payout}->2010:{wallet} 25
payoutReturned       | a paid payout is returned                            | payout_returned        | payout/{payout}/returned            | 1010->2010:{wallet} 25
chainPayoutRequested | a payout to the chain is requested                   | payout_requested       | payout/{payout}/requested           | 2010:{wallet}->2060:{payout} 2 USDC
chainPayoutPaid      | a payout on the chain is final                       | payout_paid            | payout/{payout}/paid                | 2060:{payout}->1030:eip155:84532:USDC 2 USDC; 5020->1030:eip155:84532:ETH *

# Payments in USDC
x402Final            | a payment to a managed seller is final               | x402_payment           | x402/eip155:84532/{tx}/{log}        | 1030:eip155:84532:USDC->2010:{seller} 5 USDC
x402Gas              | the service pays for its transaction                 | x402_gas               | x402/gas/eip155:84532/{tx}          | 5020->1030:eip155:84532:ETH *
x402Escrow           | USDC pays into escrow                                | x402_payment           | x402/eip155:84532/{tx}/{log}        | 1030:eip155:84532:USDC->2010:{buyer} 100 USDC; 2010:{buyer}->2020:{escrow} 100 USDC
x402Provided         | a payment to an address of the seller is final       |                        |  |                                  |
chainSuspense        | a transfer pays nothing                              | x402_suspense          | x402/eip155:84532/{tx}/{log}        | 1030:eip155:84532:USDC->2070 1.5 USDC
chainAssigned        | an admin assigns the transfer                        | x402_suspense_assigned | x402/suspense/{transfer}/exit       | 2070->2010:{to} 1.5 USDC
chainReturned        | the transfer is sent back                            | x402_suspense_returned | x402/suspense/{transfer}/exit       | 2070->1030:eip155:84532:USDC 1.5 USDC; 5020->1030:eip155:84532:ETH *

# Chargebacks
chargebackOpened     | a bank takes a payment back                          | chargeback_opened      | chargeback/{dispute}/opened         | 1040->1010 50; 5010->1010 15
chargebackWon        | the bank returns it                                  | chargeback_won         | chargeback/{dispute}/won            | 1010->1040 50
topUpLost            | lost, of a top-up that was spent in part             | chargeback_lost        | chargeback/{dispute}/lost           | 2010:{payer}->1040 20; 1050:{debtor}->1040 30
writtenOff           | the rest is written off                              | receivable_written_off | chargeback/{chargeback}/written-off | 5050->1050:{debtor} 30
escrowLost           | lost, of a payment that is in escrow                 | chargeback_lost        | chargeback/{dispute}/lost           | 2020:{escrow}->1040 100
refundRecovered      | a refund to a buyer that owes                        | ap2.refund             | {escrow}:r1                         | 2020:{escrow}->2010:{payer} 100; 2010:{payer}->1050:{debtor} 100
voucherRecovered     | a voucher of an account that owes is cancelled       | voucher_cancel         | voucher/{voucher}/cancel            | 2030:{voucher}->2010:{payer} 30; 2010:{payer}->1050:{debtor} 30
payoutRecovered      | a payout of an account that owes is returned         | payout_returned        | payout/{payout}/returned            | 1010->2010:{payer} 25; 2010:{payer}->1050:{debtor} 24
releasedLost         | lost, of a payment that was released                 | chargeback_lost        | chargeback/{dispute}/lost           | 2010:{seller}->1040 80; 1050:{debtor}->1040 20

# Commissions
commissionEarned     | a release earns commission                           | ap2.release            | {escrow}:1                          | 2020:{escrow}->2010:{seller} 80; 2020:{escrow}->4010 20; 5040->2050:{affiliate} 4
commissionAvailable  | a commission leaves its hold period                  | commission_available   | commission/{commission}/available   | 2050:{affiliate}->2051:{affiliate} 4
commissionPaid       | an affiliate is paid                                 | commission_paid        | commission-payment/{request}        | 2051:{affiliate}->2010:{wallet} 4
clawedHeld           | a commission is taken back in its hold period        | commission_clawed_back | commission/{commission}/clawed-back/0 | 2050:{affiliate}->5040 4
clawedAvailable      | an available commission is taken back                | commission_clawed_back | commission/{commission}/clawed-back/0 | 2051:{affiliate}->5040 4
clawedPaid           | a paid commission is taken back                      | commission_clawed_back | commission/{commission}/clawed-back/0 | 1050:{earner}->5040 4

# Routing balances
routingTopup         | a wallet tops up a routing balance                   | routing_topup          | routing-topup/{request}             | 2010:{wallet}->2040:{account} 5
cardRouting          | a card tops up a routing balance                     | fund                   | payment/{payment}                   | 1010->2040:{account} 5; 5010->1010 0.45
routingTestTopup     | the same in test credit                              | routing_topup          | routing-topup/{request}             | 2011:{wallet}->2041:{account} 6
routingReturned      | a part of it is returned to the wallet               | routing_returned       | routing-returned/{request}          | 2040:{account}->2010:{wallet} 1
leaseTaken           | an instance leases a block                           | routing_lease_taken    | routing-lease/{lease}/1             | 2040:{account}->2045:{lease} 1
leaseFlushed         | requests have used some of it, one too much          | routing_usage          | routing-lease/{lease}/2             | 2045:{lease}->2110:openai 0.15; 2045:{lease}->4020 0.008; 5070->2110:openai 0.02
leaseClosed          | the lease is returned                                | routing_lease_returned | routing-lease/{lease}/3             | 2045:{lease}->2040:{account} 0.842
testLeaseTaken       | an instance leases a block of test credit            | routing_lease_taken    | routing-lease/{lease}/1             | 2041:{account}->2046:{lease} 1
testLeaseFlushed     | simulated requests have used some of it              | routing_usage          | routing-lease/{lease}/2             | 2046:{lease}->1090 0.108
testLeaseClosed      | the lease is returned                                | routing_lease_returned | routing-lease/{lease}/3             | 2046:{lease}->2041:{account} 0.892
leaseExpired         | the lease of an instance that crashed expires        | routing_lease_returned | routing-lease/{lease}/2             | 2045:{lease}->2040:{account} 1
lateUsage            | usage of a lease that is closed                      | routing_usage          | routing-lease/{lease}/3             | 5070->2110:openai 0.1
probeCost            | an admin probes the models                           | probe_cost             | probe-cost/{request}                | 5070->2110:openai *
providerInvoice      | an invoice of a provider is paid                     | provider_invoice       | provider-invoice/openai/{invoice}   | 2110:openai->1010 12.5

# Subscriptions
proByCard            | Pro is paid by card                                  | fund                   | payment/{payment}                   | 1010->2130:{subscription} 59; 5010->1010 2.02
proByWallet          | Pro is paid from a wallet                            | subscription_paid      | invoice/{invoice}/paid              | 2010:{wallet}->2130:{subscription} 59
proDay               | a day of Pro has passed                              | subscription_earned    | invoice/{invoice}/day/{n}           | 2130:{subscription}->4030 {day}
proEnded             | Pro is cancelled at once                             | subscription_returned  | invoice/{invoice}/returned          | 2130:{subscription}->2010:{wallet} {rest}
`

const linesOf = (table: string): string[][] =>
  table
    .split('\n')
    .filter(line => line.includes('|'))
    .map(line => line.split('|').map(cell => cell.trim()))
const legsIn = (cell: string): string[] => cell.split('; ').filter(leg => leg !== '')

export const ROWS: ReadonlyMap<string, Row> = new Map(
  linesOf(TABLE).map(([name = '', event = '', kind = '', key = '', legs = '']) => [
    name,
    { event, kind, key, legs: legsIn(legs) },
  ]),
)
