import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { sharedService, type TestService } from '#test'
import { DOCUMENTS } from './documents/index.ts'

interface Found {
  operations: Set<string>
  links: Set<string>
  references: Set<string>
  schemas: object[]
}
interface OpenApi {
  paths: Record<string, Record<string, unknown>>
  components: { schemas: Record<string, object> }
}

suite('discovery documents', () => {
  let service: TestService
  let openapi: OpenApi
  const texts = new Map<string, Record<string, unknown>>()
  before(async () => {
    service = await sharedService()
    openapi = (await service.http<OpenApi>('GET', '/openapi.json')).body
    for (const name of Object.keys(DOCUMENTS)) {
      const path = `/.well-known/${name}`
      const { status, body, headers } = await service.http<Record<string, unknown>>('GET', path)
      assert.deepEqual([status, headers.get('cache-control')], [200, 'public, max-age=300'], name)
      texts.set(name, body)
    }
  })
  after(() => service.close())

  /** All operations, links and schemas that a document names, however deep. */
  function collect(value: unknown, found: Found): Found {
    if (typeof value === 'string') {
      if (value.startsWith(service.baseUrl)) found.links.add(value)
      return found
    }
    if (typeof value !== 'object' || value === null) return found
    const { method, url, $ref, schema, ...rest } = value as Record<string, unknown>
    if (typeof method === 'string' && typeof url === 'string')
      found.operations.add(`${method} ${url.slice(service.baseUrl.length)}`)
    else if (url !== undefined) collect(url, found)
    if (typeof $ref === 'string') found.references.add($ref)
    if (typeof schema === 'object' && schema && !('$ref' in schema)) found.schemas.push(schema)
    else collect(schema, found)
    for (const each of Object.values(rest)) collect(each, found)
    return found
  }
  const all = () =>
    [...texts.values()].reduce<Found>((found, document) => collect(document, found), {
      operations: new Set(),
      links: new Set(),
      references: new Set(),
      schemas: [],
    })

  test('every operation that they name is in the OpenAPI document', () => {
    const { operations } = all()
    assert.ok(operations.size > 30, String(operations.size))
    const known = Object.entries(openapi.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
    )
    assert.deepEqual(
      [...operations].filter(operation => !known.includes(operation)),
      [],
    )
  })

  test('every link that they name can be opened', async () => {
    const { links } = all()
    assert.ok(links.size > 10, String(links.size))
    for (const link of links) {
      const { status } = await fetch(link)
      assert.equal(status, 200, link)
    }
  })

  test('every schema that they name is one', () => {
    const { references, schemas } = all()
    assert.ok(references.size > 5 && schemas.length >= 2)
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: `${service.baseUrl}/openapi.json`, components: openapi.components })
    for (const $ref of references) assert.equal(typeof ajv.compile({ $ref }), 'function')
    for (const schema of schemas) assert.equal(typeof ajv.compile(schema), 'function')
  })

  test('the capabilities are what the service does', async () => {
    const body = texts.get('agent-capabilities.json') as {
      base_url: string
      capabilities: Record<string, boolean>
      fees: Record<string, number>
      protocols: Record<string, string>
      documents: Record<string, string>
      routing: { fee: number; bands: object[] } & Record<string, unknown>
    }
    assert.equal(body.base_url, service.baseUrl)
    assert.deepEqual(body.fees, { marketplace: 0.2, pro: 0.1 })
    assert.deepEqual(
      [body.capabilities.escrow, body.capabilities.crypto_payments, body.capabilities.push_notifications],
      [true, true, false],
    )
    assert.equal(Object.keys(body.capabilities).length, 14)
    assert.equal(Object.keys(body.documents).length, Object.keys(DOCUMENTS).length)
    assert.equal(body.protocols.ap2, '1.0')
    const { bands, ...routing } = body.routing
    assert.deepEqual(routing, {
      models: 15,
      providers: 9,
      virtual_models: ['auto', 'svc/budget', 'svc/balanced', 'svc/performance'],
      fee: 0.08,
    })
    assert.deepEqual(bands.slice(0, 2), [
      { tier: 'economy', from: 0.03, to: 0.95 },
      { tier: 'mid', from: 1, to: 3 },
    ])
  })

  test('the largest file of the vault is the one that uploads allow', () => {
    // vault.test.ts uploads a file of this size, and one of a byte more.
    assert.equal(texts.get('svc-vault.json')?.['max_bytes'], 100_000_000)
  })

  test('the registration file has the type of ERC-8004', () => {
    const { type, services, active } = texts.get('agent-registration.json') as {
      type: string
      services: { name: string; endpoint: string }[]
      active: boolean
    }
    assert.equal(type, 'https://eips.ethereum.org/EIPS/eip-8004#registration-v1')
    assert.ok(active && services.length > 2)
    assert.ok(services.every(({ name, endpoint }) => name && endpoint.startsWith(service.baseUrl)))
  })

  test('security.txt names the contacts of the operator, and is 404 without one', async () => {
    const get = ({ http }: Pick<TestService, 'http'>) => http('GET', '/.well-known/security.txt')
    assert.equal((await get(service)).status, 404)
    const configured = await service.instance({
      SECURITY_CONTACT: 'mailto:security@example.com, https://example.com/report',
      SECURITY_POLICY_URL: 'https://example.com/security',
    })
    const { status, text, headers } = await get(configured)
    await configured.close()
    assert.deepEqual([status, headers.get('content-type')], [200, 'text/plain; charset=utf-8'])
    const fields = text
      .trim()
      .split('\n')
      .map(line => line.split(': '))
    const [expires = ''] = fields.flatMap(([name, value = '']) => (name === 'Expires' ? [value] : []))
    assert.match(expires, /^\d{4}-\d\d-\d\dT00:00:00Z$/)
    const days = (Date.parse(expires) - Date.now()) / 86_400_000
    assert.ok(days > 80 && days < 365, expires)
    assert.deepEqual(
      fields.filter(([name]) => name !== 'Expires'),
      [
        ['Contact', 'mailto:security@example.com'],
        ['Contact', 'https://example.com/report'],
        ['Policy', 'https://example.com/security'],
        ['Preferred-Languages', 'en'],
        ['Canonical', `${configured.baseUrl}/.well-known/security.txt`],
      ],
    )
    for (const bad of ['security@example.com', 'http://example.com', 'javascript:1', 'mailto:a@b\nX: y'])
      await assert.rejects(service.instance({ SECURITY_CONTACT: bad }), /SECURITY_CONTACT/, bad)
  })

  test('llms.txt names documents that can be opened', async () => {
    const { text, headers } = await service.http('GET', '/llms.txt')
    assert.match(headers.get('content-type') ?? '', /^text\/plain/)
    assert.match(text, /^# svc\n\n> /)
    const links = [...text.matchAll(/\]\((\S+)\)/g)].map(([, link = '']) => link)
    assert.ok(links.length >= 7)
    for (const link of links) assert.equal((await fetch(link)).status, 200, link)
  })
})
