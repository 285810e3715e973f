import type { TestService } from './service.ts'

type Texts = { text: string; inTransaction: boolean }[]

/** The texts of the statements outside transactions that `act` causes and that match `about`. */
export const statementsOf = async (service: TestService, about: RegExp, act: () => Promise<unknown>): Promise<string[]> =>
  textsOf((await record(service, act)).filter(each => !each.inTransaction), about)

/** The same with the statements inside transactions. */
export const allStatementsOf = async (service: TestService, about: RegExp, act: () => Promise<unknown>): Promise<string[]> =>
  textsOf(await record(service, act), about)

const textsOf = (seen: Texts, about: RegExp): string[] => seen.map(({ text }) => text).filter(text => about.test(text))

/** Every statement that the service sends while `act` runs, those of its background loops too. */
async function record({ services: { db: { pool } } }: TestService, act: () => Promise<unknown>): Promise<Texts> {
  const seen: Texts = []
  const { query, acquire } = pool
  pool.query = ((...given: Parameters<typeof query>) => {
    seen.push({ text: textOf(given[0]), inTransaction: false })
    return query.apply(pool, given)
  }) as typeof query
  pool.acquire = async () => recording(await acquire.call(pool), seen)
  try {
    await act()
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
        if (name === 'query') note(textOf(given[0]))
        return Reflect.apply(value, target, given)
      }
    },
  })
}

const textOf = (statement: unknown): string => (typeof statement === 'string' ? statement : (statement as { text: string }).text)
