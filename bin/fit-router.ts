// Fits stage 1 of the gateway's router and writes its weights: node bin/fit-router.ts
// ROUTER_DATA names the folder of the data (../shared/data/router), of which nothing is committed but the weights.
import { writeFile } from 'node:fs/promises'
import { pack, WEIGHTS_FILE, type StoredWeights } from '../server/modules/gateway/routing/weights.ts'
import { readSets, SETS } from './router/data.ts'
import { fit, prepare } from './router/training.ts'

const sets = await readSets()
const rows = SETS.flatMap(set => prepare(sets[set]))
const model = fit(rows)
const round = (values: ArrayLike<number>) => Array.from(values, value => Number(value.toPrecision(5)))
const stored: StoredWeights = {
  mean: round(model.mean),
  deviation: round(model.deviation),
  bias: round(model.bias),
  dense: round(model.dense),
  trigrams: pack(model.trigrams),
  bigrams: pack(model.bigrams),
}
const text = `${JSON.stringify(stored)}\n`
await writeFile(WEIGHTS_FILE, text)
console.log(`${rows.length} prompts, ${Math.round(text.length / 1024)} KB of weights`)
