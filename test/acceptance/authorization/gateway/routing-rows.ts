import { all, type Row } from '../row.ts'
import { passedOn } from './calls-rows.ts'

const body = () => ({ prompt: 'What is the capital of France?' })

/** Selections charge nothing and show nothing of another account. */
export const routing: Row[] = [
  all('POST /v1/route', 'routing', 201, { body, ...passedOn }),
  all('POST /v1/routing/select', 'routing', 201, { body, ...passedOn }),
]
