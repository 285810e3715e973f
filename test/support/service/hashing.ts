import { after, before } from 'node:test'
import { setHashingCost } from '../../../server/modules/identity/credentials/password.ts'

/** A hash takes 0.1 ms instead of 25 ms of processor time. */
const TEST_COST = { memory: 64, passes: 1, parallelism: 1 }

setHashingCost(TEST_COST)

/** The suite that calls this hashes passwords as a deployment does. */
export function useProductionHashing(): void {
  before(() => setHashingCost())
  after(() => setHashingCost(TEST_COST))
}
