import { sending } from '../bodies.ts'
import { all, type Row } from '../row.ts'
import { passedOn } from './calls-rows.ts'

const messages = [{ role: 'user', content: 'Hello' }]

/** The APIs beside chat completions. */
export const surfaces: Row[] = [
  all('POST /v1/messages', 'routing', 200, {
    ...sending({ model: 'auto', max_tokens: 16, messages }),
    ...passedOn,
  }),
  all('POST /v1/messages/count_tokens', 'routing', 200, {
    ...sending({ model: 'auto', messages }),
    ...passedOn,
  }),
  all('POST /v1/responses', 'routing', 200, { ...sending({ input: 'Hello' }), ...passedOn }),
  all('POST /v1/embeddings', 'routing', 200, {
    ...sending({ model: 'text-embedding-3-small', input: 'Hello' }),
    ...passedOn,
  }),
]
