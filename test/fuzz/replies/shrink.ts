import { placesIn } from '../generate/mutate.ts'
import type { Draft } from './request.ts'

/** Requests that the search for a smaller one may send. */
const MOST_ATTEMPTS = 80

/** The smallest request found that still fails in the same way. */
export async function shrink(draft: Draft, fails: (draft: Draft) => Promise<boolean>): Promise<Draft> {
  let smallest = draft
  let attempts = 0
  for (let found = true; found;) {
    found = false
    for (const smaller of smallerThan(smallest)) {
      if (++attempts > MOST_ATTEMPTS) return smallest
      if (!(await fails(smaller))) continue
      smallest = smaller
      found = true
      break
    }
  }
  return smallest
}

/** Requests with one part less, or a simpler part. */
function* smallerThan(draft: Draft): Generator<Draft> {
  for (const name of Object.keys(draft.headers)) {
    const { [name]: _, ...headers } = draft.headers
    yield { ...draft, headers }
  }
  for (const at of draft.query.keys()) yield { ...draft, query: draft.query.toSpliced(at, 1) }
  if (!draft.body) return
  const { body: _, ...without } = draft
  yield without
  if ('text' in draft.body) return
  yield* bodiesSmallerThan(draft, draft.body.value)
}

function* bodiesSmallerThan(draft: Draft, value: unknown): Generator<Draft> {
  const count = [...placesIn(value)].length
  for (let at = 0; at < count; at++) yield { ...draft, body: { value: changed(value, at, remove) } }
  for (let at = 0; at < count; at++) {
    const simple = changed(value, at, simplify)
    if (JSON.stringify(simple) !== JSON.stringify(value)) yield { ...draft, body: { value: simple } }
  }
}

type Change = (parent: Record<string, unknown>, key: string) => void

const remove: Change = (parent, key) => {
  if (Array.isArray(parent)) parent.splice(Number(key), 1)
  else Reflect.deleteProperty(parent, key)
}
const simplify: Change = (parent, key) => {
  const value = parent[key]
  if (typeof value === 'string' && value.length > 1) parent[key] = value.slice(0, Math.ceil(value.length / 2))
  if (Array.isArray(value)) parent[key] = []
  else if (typeof value === 'object' && value !== null) parent[key] = {}
}

function changed(value: unknown, at: number, change: Change): unknown {
  const copy = structuredClone(value)
  const place = [...placesIn(copy)][at]
  if (place) change(place.parent, place.key)
  return copy
}
