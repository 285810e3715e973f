/** The most that the API gives at once. */
const LIMIT = 100

/** All items of a list, page by page. `read` gives one page. */
export async function* itemsOf<Item>(
  read: (query: { limit: number; offset: number }) => Promise<readonly Item[] | undefined>,
): AsyncGenerator<Item> {
  for (let offset = 0; ; offset += LIMIT) {
    const items = (await read({ limit: LIMIT, offset })) ?? []
    yield* items
    if (items.length < LIMIT) return
  }
}

export async function allOf<Item>(read: Parameters<typeof itemsOf<Item>>[0]): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of itemsOf(read)) all.push(item)
  return all
}
