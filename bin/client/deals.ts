import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import process from 'node:process'
import type { Deal, Negotiation } from '#sdk'
import { EXIT, UsageError, type Given } from '../commands/command.ts'
import { Progress } from '../commands/progress.ts'
import { amountOf, ask } from './ask.ts'
import { clientCommand } from './command.ts'
import { connect, interrupted } from './connect.ts'
import { list, note, print, table } from './output.ts'

const dealList = (deal: Negotiation): string =>
  list({
    deal: deal.id,
    status: deal.status,
    agent: deal.responderAgent?.slug,
    task: deal.requestedService,
    price: `${deal.price} ${deal.currency}`,
    escrow: deal.escrow
      ? `${deal.escrow.status}, held ${deal.escrow.held}, released ${deal.escrow.released}`
      : null,
    delivery: deal.escrow?.deliveries.at(-1)?.status,
    changes: deal.escrow?.changeRequest?.reason,
    unavailable:
      deal.unavailableAgent &&
      `the agent of the ${deal.unavailableAgent.party}: ${deal.unavailableAgent.code}`,
    'you can': deal.allowedActions.join(', '),
  })

const show = (given: Given, deal: Negotiation): number => {
  print(given, deal, () => dealList(deal))
  return EXIT.ok
}

async function dealOf(given: Given): Promise<Deal> {
  const { svc } = await connect(given)
  return svc.deal(given.parameters[0] ?? '')
}

/** Of the API. */
const LIMIT_MAX = 100

export const deals = clientCommand({
  name: 'deals',
  summary: 'Lists your deals, newest first.',
  options: [
    '--role ROLE  buyer or seller',
    '--status STATUS  Such as DELIVERED',
    `--limit NUMBER  20 by default, at most ${LIMIT_MAX}`,
  ],
  examples: ['svc deals', 'svc deals --role seller --status ESCROWED --json'],
  async run(_, given) {
    const { svc } = await connect(given)
    const { options } = given
    const role = options.get('--role')
    if (role !== undefined && role !== 'buyer' && role !== 'seller')
      throw new UsageError('--role must be buyer or seller')
    const status = options.get('--status') as Negotiation['status'] | undefined
    const { items, total } = await svc.request('GET /ap2/negotiations', {
      query: {
        limit: Number(options.get('--limit') ?? 20),
        ...(role ? { role } : {}),
        ...(status ? { status } : {}),
      },
    })
    print(given, items, () =>
      items.length
        ? table(
            ['DEAL', 'STATUS', 'PRICE', 'AGENT', 'TASK'],
            items.map(each => [
              each.id,
              each.status,
              `${each.price} ${each.currency}`,
              each.responderAgent?.slug ?? '',
              each.requestedService.slice(0, 50),
            ]),
          )
        : 'No deals.',
    )
    if (total > items.length)
      note(`${items.length} of ${total} deals are shown: --limit shows up to ${LIMIT_MAX}`)
    return EXIT.ok
  },
})

export const dealsShow = clientCommand({
  name: 'deals show',
  parameters: ['DEAL'],
  summary: 'Shows a deal, its escrow and what you can do.',
  examples: ['svc deals show 0198c0de-0000-7000-8000-0000000000c1'],
  run: async (_, given) => show(given, (await dealOf(given)).data),
})

export const dealsAccept = clientCommand({
  name: 'deals accept',
  parameters: ['DEAL'],
  summary: 'Accepts an offer, or the price that the other party named.',
  options: ['--counter USD  Name another price instead'],
  examples: ['svc deals accept DEAL', 'svc deals accept DEAL --counter 30'],
  async run(_, given) {
    const deal = await dealOf(given)
    const price = given.options.get('--counter')
    if (price) await deal.counter(amountOf(price, '--counter'))
    else await deal.accept()
    return show(given, deal.data)
  },
})

export const dealsPay = clientCommand({
  name: 'deals pay',
  parameters: ['DEAL'],
  summary: 'Pays an accepted deal into escrow, from your wallet.',
  examples: ['svc deals pay DEAL'],
  async run(_, given) {
    const deal = await dealOf(given)
    await deal.pay()
    return show(given, deal.data)
  },
})

export const dealsDeliver = clientCommand({
  name: 'deals deliver',
  parameters: ['DEAL'],
  summary: 'Delivers a result, a file with the result, or an address.',
  options: [
    '--result TEXT  The result; JSON is read as such',
    '--file FILE  The result from a file, - for standard input',
    '--at URL  A public page or file',
  ],
  examples: ['svc deals deliver DEAL --file notes.md', './work.sh | svc deals deliver DEAL --file -'],
  async run(_, given) {
    const deliverableUrl = given.options.get('--at')
    const file = given.options.get('--file')
    const text = file === undefined ? given.options.get('--result') : await contentOf(file)
    if (text === undefined && !deliverableUrl) throw new UsageError('give --result, --file or --at')
    const deal = await dealOf(given)
    const progress = new Progress()
    progress.show('Delivering and verifying')
    await deal
      .deliver({
        ...(text === undefined ? {} : { result: jsonOr(text) }),
        ...(deliverableUrl ? { deliverableUrl } : {}),
      })
      .finally(() => progress.end())
    return show(given, deal.data)
  },
})

const contentOf = (file: string): Promise<string> =>
  file === '-' ? readAll(process.stdin) : readFile(file, 'utf8')

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const releaseOptions = [
  '--amount USD  A part of what is held',
  '--accept-unverified  Also without a verified delivery',
]

export const dealsRelease = clientCommand({
  name: 'deals release',
  parameters: ['DEAL'],
  summary: 'Pays the agent out of the escrow.',
  options: releaseOptions,
  examples: ['svc deals release DEAL'],
  async run(_, given) {
    const amount = given.options.get('--amount')
    const deal = await dealOf(given)
    const settled = await deal.release({
      ...(amount ? { amount: amountOf(amount, '--amount') } : {}),
      ...(given.options.has('--accept-unverified') ? { acceptUnverified: true } : {}),
    })
    print(given, settled, () =>
      list({
        escrow: settled.status,
        agent: settled.netToSeller,
        fee: settled.fee,
        held: settled.escrow.held,
      }),
    )
    return EXIT.ok
  },
})

/** Follows a deal to its delivery; releases it if that was asked for, on the command line or by the person. */
async function follow(given: Given, deal: Deal, signal: AbortSignal): Promise<number> {
  const progress = new Progress()
  try {
    await deal.until(['DELIVERED', 'COMPLETED'], {
      signal,
      onStatus: ({ status }) => progress.show(`${deal.id}: ${status}`),
    })
  } finally {
    progress.end()
  }
  if (deal.status === 'COMPLETED') return show(given, deal.data)
  const question = `Delivered. Release ${deal.price} ${deal.data.currency} to the agent? [y/N] `
  const isAgreed =
    given.options.has('--release') || (process.stdin.isTTY && /^y(es)?$/i.test((await ask(question)).trim()))
  if (isAgreed) await deal.release()
  else note(`Look at it with "svc deals show ${deal.id}", then pay with "svc deals release ${deal.id}".`)
  return show(given, deal.data)
}

const STATUSES: readonly Negotiation['status'][] = [
  'PENDING',
  'COUNTERED',
  'ACCEPTED',
  'ESCROWED',
  'IN_PROGRESS',
  'DELIVERED',
  'COMPLETED',
  'REFUNDED',
  'SPLIT',
  'REJECTED',
  'CANCELLED',
  'EXPIRED',
]

const RELEASE = '--release  Pay when the delivery is verified'

export const dealsWatch = clientCommand({
  name: 'deals watch',
  parameters: ['DEAL'],
  summary: 'Waits until a deal is delivered.',
  options: [RELEASE, '--until STATUS  Only wait for this status, such as ESCROWED'],
  examples: ['svc deals watch DEAL --release', 'svc deals watch DEAL --until ESCROWED'],
  async run(_, given) {
    const until = given.options.get('--until')
    const status = STATUSES.find(each => each === until)
    if (until !== undefined && !status) throw new UsageError(`--until must be one of ${STATUSES.join(', ')}`)
    const deal = await dealOf(given)
    if (!status) return follow(given, deal, interrupted())
    await deal.until(status, { signal: interrupted() })
    return show(given, deal.data)
  },
})

export const hire = clientCommand({
  name: 'hire',
  parameters: ['SLUG', 'TASK'],
  summary: 'Offers a deal to an agent, and pays into escrow when it accepts.',
  options: [
    '--budget USD  The most that it may cost; required',
    '--watch  Wait for the delivery, and then ask whether to pay',
    RELEASE,
    '--wallet ID  The wallet that pays, by default yours',
    '--notes TEXT  For the agent',
  ],
  examples: [
    'svc hire scribe "Write the release notes of version 2" --budget 100 --watch',
    'svc hire scribe "Write the release notes of version 2" --budget 100 --watch --release --json',
  ],
  async run(_, given) {
    const [slug = '', requestedService = ''] = given.parameters
    const { options } = given
    const most = options.get('--budget')
    if (most === undefined)
      throw new UsageError(
        '--budget is missing: name the most that the deal may cost, such as --budget 12.50',
      )
    const budget = amountOf(most, '--budget')
    const notes = options.get('--notes')
    const sourceWalletId = options.get('--wallet')
    const { svc } = await connect(given)
    const signal = interrupted()
    const progress = new Progress()
    let dealId = ''
    let last: Negotiation['status'] | undefined
    const deal = await svc
      .hire({
        slug,
        requestedService,
        budget,
        signal,
        ...(notes ? { notes } : {}),
        ...(sourceWalletId ? { sourceWalletId } : {}),
        onStatus: ({ id, status }) => {
          dealId = id
          last = status
          progress.show(`${id}: ${status}`)
        },
      })
      .catch((error: unknown) => {
        if (signal.aborted && dealId) note(`\nThe offer stays open: svc deals show ${dealId}`)
        else if (last === 'ACCEPTED') note(`The agent has accepted. Pay later with: svc deals pay ${dealId}`)
        throw error
      })
      .finally(() => progress.end())
    return options.has('--watch') || options.has('--release')
      ? follow(given, deal, signal)
      : show(given, deal.data)
  },
})
