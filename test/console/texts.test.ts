import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { chart } from '../../server/modules/ledger/accounts.ts'
import { FAILURE_CODES } from '../../server/modules/payouts/payout/failure.ts'
import { settings } from '../../server/platform/kernel/config.ts'
import { LIVE, RUN_STATES } from '../../server/modules/runs/run-machine.ts'

const TEXTS = join(import.meta.dirname, '../../web/texts')
const catalog = async (language: string) =>
  JSON.parse(await readFile(join(TEXTS, `${language}.json`), 'utf8')) as Record<string, string>
const placeholders = (text = ''): string[] => [...new Set(text.match(/\{\w+\}/g))].sort()

test('both languages have the same texts with the same placeholders', async () => {
  const [english, german] = [await catalog('en'), await catalog('de')]
  assert.ok(Object.keys(english).length > 1000)
  assert.deepEqual(Object.keys(german).sort(), Object.keys(english).sort())
  for (const [key, text] of Object.entries(english))
    assert.deepEqual(placeholders(german[key]), placeholders(text), key)
})

/** Values of the API that pages show in words. */
const NAMED: readonly (readonly [schema: string, property?: string])[] = [
  ['AdminEscrow', 'status'],
  ['ChargebackStatus'],
  ['CommissionStatus'],
  ['DealDeliveryStatus'],
  ['ModelHealth', 'breaker'],
  ['ModelHealth', 'status'],
  ['ModelHealth', 'tier'],
  ['Payout', 'rail'],
  ['ReconciliationDifference', 'kind'],
  ['ReconciliationReport', 'trigger'],
  ['SuspendedTransfer', 'reason'],
]

interface Schema {
  $ref?: string
  enum?: readonly string[]
  properties?: Readonly<Record<string, Schema>>
}

test('the console has a name for each state of the API that its pages show', async () => {
  const text = await readFile(join(import.meta.dirname, '../../openapi/openapi.json'), 'utf8')
  const { schemas } = (JSON.parse(text) as { components: { schemas: Record<string, Schema | undefined> } })
    .components
  const valuesOf = (schema: Schema | undefined): readonly string[] =>
    schema?.enum ?? valuesOf(schemas[schema?.$ref?.split('/').at(-1) ?? ''])
  const german = await catalog('de')
  const missing = NAMED.flatMap(([schema, property]) =>
    valuesOf(property ? schemas[schema]?.properties?.[property] : schemas[schema])
      .map(value => `name.${value.toUpperCase()}`)
      .filter(key => !german[key]),
  )
  assert.deepEqual(missing, [])
})

test('the console has a text for each reason that the service itself gives in the timeline of a deal', async () => {
  const cwd = join(import.meta.dirname, '../../server/modules/ap2')
  const files = await Array.fromAsync(glob('{dispute,escrow,execution,negotiation}/*.ts', { cwd }))
  const sources = await Promise.all(
    files.filter(file => !file.endsWith('.test.ts')).map(file => readFile(join(cwd, file), 'utf8')),
  )
  const codes = sources.flatMap(text =>
    [...text.matchAll(/\bcode: '(\w+)',\s+reason: /g)].map(([, code = '']) => code),
  )
  assert.ok(codes.length >= 5)
  const runs = RUN_STATES.filter(state => !LIVE.includes(state)).map(state => `run_${state.toLowerCase()}`)
  const german = await catalog('de')
  assert.deepEqual(
    [...codes, ...runs].filter(code => !german[`deal.because.${code}`]),
    [],
  )
})

test('the console has a text for each reason why a delivery or a webhook was not accepted', async () => {
  const adapters = join(import.meta.dirname, '../../server/platform/adapters')
  const codesIn = async (file: string, type: RegExp) =>
    [...(type.exec(await readFile(join(adapters, file), 'utf8'))?.[0] ?? '').matchAll(/'(\w+)'/g)].map(
      ([, code = '']) => code,
    )
  const codes = [
    ...(await codesIn('browser/report.ts', /type VerificationCode =(?:\n  \| .+)+/)),
    ...(await codesIn('egress/dialer.ts', /readonly code: .+/)),
    ...(await codesIn('egress/fetch.ts', /readonly code: .+/)),
    ...(await codesIn('json-schema/checker.ts', /code: '.+/)),
  ]
  assert.ok(codes.length > 30, String(codes.length))
  const german = await catalog('de')
  assert.deepEqual(
    codes.filter(code => !german[`deal.because.${code}`]),
    [],
  )
})

test('each setting is described in German too', async () => {
  const german = await catalog('settings.de')
  assert.deepEqual(Object.keys(german).sort(), Object.keys(settings).sort())
})

test('the console has a text for each known reason of a payout that failed', async () => {
  const german = await catalog('de')
  assert.deepEqual(
    FAILURE_CODES.filter(code => code !== 'OTHER' && !german[`payout.because.${code}`]),
    [],
  )
})

test('the console has a name for each ledger account, in full and in short', async () => {
  const german = await catalog('de')
  const names = chart.flatMap(({ name }) => [name, name.split(':')[0] ?? name])
  assert.deepEqual(
    names.filter(name => !german[`ledger.${name}`]),
    [],
  )
})
