import type { TestService } from '../service/service.ts'

type Texts = { text: string; inTransaction: boolean }[]

/** The texts of the statements outside transactions that `work` causes and that match `about`. */
export const statementsOf = async (
  service: TestService,
  about: RegExp,
  work: () => Promise<unknown>,
): Promise<string[]> =>
  textsOf(
    (await record(service, work)).filter(each => !each.inTransaction),
    about,
  )

/** The same with the statements inside transactions. */
export const allStatementsOf = async (
  service: TestService,
  about: RegExp,
  work: () => Promise<unknown>,
): Promise<string[]> => textsOf(await record(service, work), about)

const textsOf = (seen: Texts, about: RegExp): string[] =>
  seen.map(({ text }) => text).filter(text => about.test(text))

/** Every statement that the service sends while `work` runs, those of its background loops too. */
async function record(
  {
    services: {
      db: { pool },
    },
  }: TestService,
  work: () => Promise<unknown>,
): Promise<Texts> {
  const seen: Texts = []
  const { query, acquire } = pool
  pool.query = ((...given: Parameters<typeof query>) => {
    seen.push({ text: textOf(given[0]), inTransaction: false })
    return query.apply(pool, given)
  }) as typeof query
  pool.acquire = async () => recording(await acquire.call(pool), seen)
  try {
    await work()
  } finally {
    Object.assign(pool, { query, acquire })
  }
  return seen
}

/** The connection as it is, but that its statements are noted. */
function recording<Client extends object>(client: Client, seen: Texts): Client {
  let inTransaction = false
  const note = (text: string) => {
    if (text.startsWith('begin')) inTransaction = true
    seen.push({ text, inTransaction })
  }
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function') return value
      return (...given: unknown[]): unknown => {
        if (name === 'execute' || name === 'raw') note(textOf(given[0]))
        return Reflect.apply(value, target, given)
      }
    },
  })
}

const textOf = (statement: unknown): string =>
  typeof statement === 'string' ? statement : (statement as { text: string }).text
