import type { components } from '#sdk'
import { CredentialError, EXIT, type Given } from '../commands/command.ts'
import { amountOf } from './ask.ts'
import { clientCommand } from './command.ts'
import { connect, type Connection } from './connect.ts'
import { note, print, table } from './output.ts'

type Wallet = components['schemas']['Wallet']

async function walletsOf({ svc, profile }: Connection): Promise<Wallet[]> {
  const own = profile?.userId
    ? (await svc.request('GET /wallets/user/{userId}', { path: { userId: profile.userId } })).wallets
    : []
  return [...own, ...(await Array.fromAsync(svc.pages('GET /wallets/my-agents')))]
}

const walletTable = (wallets: readonly Wallet[]): string =>
  table(
    ['WALLET', 'OWNER', 'BALANCE', 'AVAILABLE', 'RESERVED'],
    wallets.map(each => [
      each.id,
      each.ownerType,
      `${each.balance} ${each.currency}`,
      each.available,
      each.reserved,
    ]),
  )

const showBalance = async (given: Given): Promise<number> => {
  const connection = await connect(given)
  const wallets = await walletsOf(connection)
  print(given, wallets, () => (wallets.length ? walletTable(wallets) : 'No wallets.'))
  if (!connection.profile?.userId)
    note('A key shows the wallets of your agents only. For your own: svc login --email')
  return EXIT.ok
}

export const wallet = clientCommand({
  name: 'wallet',
  summary: 'Shows the balance of your wallets and those of your agents.',
  examples: ['svc wallet', 'svc wallet --json'],
  run: (_, given) => showBalance(given),
})

export const walletFund = clientCommand({
  name: 'wallet fund',
  parameters: ['AMOUNT'],
  summary: 'Pays into your wallet by card; in sandbox mode by a test card.',
  options: ['--checkout  Open a hosted page instead', '--wallet ID  By default your first wallet'],
  examples: ['svc wallet fund 150', 'svc wallet fund 150 --checkout'],
  async run(_, given) {
    const connection = await connect(given)
    const { svc, profile } = connection
    const amount = amountOf(given.parameters[0] ?? '', 'AMOUNT')
    if (!profile?.session)
      throw new CredentialError('a wallet is funded by a person: sign in with "svc login --email"')
    const id = given.options.get('--wallet') ?? (await walletsOf(connection))[0]?.id ?? ''
    const funded = await svc.request('POST /wallets/{id}/fund', {
      path: { id },
      body: { amount, ...(given.options.has('--checkout') ? { rail: 'checkout' } : {}) },
    })
    print(given, funded, () =>
      funded.checkout ? `Open ${funded.checkout.url}` : walletTable([funded.wallet]),
    )
    return EXIT.ok
  },
})
