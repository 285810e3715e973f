import type { TestService } from './service.ts'

/** The texts of the statements outside transactions that `act` causes and that match `about`. */
export async function statementsOf(
  {
    services: {
      db: { pool },
    },
  }: TestService,
  about: RegExp,
  act: () => Promise<unknown>,
): Promise<string[]> {
  const texts: string[] = []
  const { query } = pool
  pool.query = ((...given: Parameters<typeof query>) => {
    const first = given[0] as unknown as string | { text: string }
    texts.push(typeof first === 'string' ? first : first.text)
    return query.apply(pool, given)
  }) as typeof query
  try {
    await act()
  } finally {
    pool.query = query
  }
  return texts.filter(text => about.test(text))
}
