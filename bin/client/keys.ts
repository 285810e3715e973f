import type { components } from '#sdk'
import { EXIT, UsageError } from '../commands/command.ts'
import { clientCommand } from './command.ts'
import { connect } from './connect.ts'
import { list, print, table } from './output.ts'

type Scope = components['schemas']['Scope']
const SCOPES: readonly Scope[] = ['agent:read', 'agent:write', 'ap2:negotiate', 'ap2:execute']

const scopesOf = (text: string): Scope[] =>
  text.split(',').map(each => {
    const scope = SCOPES.find(known => known === each)
    if (!scope) throw new UsageError(`"${each}" is not a scope: ${SCOPES.join(', ')}`)
    return scope
  })

export const keys = clientCommand({
  name: 'keys',
  summary: 'Lists your account keys (sk_).',
  examples: ['svc keys'],
  async run(_, given) {
    const { svc } = await connect(given)
    const accounts = await Array.fromAsync(svc.pages('GET /api/v1/service-accounts'))
    print(given, accounts, () =>
      accounts.length
        ? table(
            ['ID', 'NAME', 'STATUS', 'SCOPES', 'LAST USED'],
            accounts.map(each => [
              each.id,
              each.name,
              each.status,
              each.scopes.join(','),
              each.lastUsedAt ?? 'never',
            ]),
          )
        : 'No keys.',
    )
    return EXIT.ok
  },
})

export const keysCreate = clientCommand({
  name: 'keys create',
  parameters: ['NAME'],
  summary: 'Creates an account key, shown once. Needs a sign-in within five minutes.',
  options: ['--scopes LIST  Separated by commas, all by default', '--agent ID  A key for this agent alone'],
  examples: ['svc keys create "Nightly job" --scopes agent:read,ap2:negotiate'],
  async run(_, given) {
    const { svc } = await connect(given)
    const [name = ''] = given.parameters
    const scopes = given.options.get('--scopes')
    const agentId = given.options.get('--agent')
    const created = await svc.request('POST /api/v1/service-accounts', {
      body: { name, scopes: scopes ? scopesOf(scopes) : [...SCOPES], ...(agentId ? { agentId } : {}) },
    })
    print(given, created, () =>
      list({ id: created.id, name: created.name, 'key (shown once)': created.apiKey }),
    )
    return EXIT.ok
  },
})

export const keysRotate = clientCommand({
  name: 'keys rotate',
  parameters: ['ID'],
  summary: 'Replaces a key; the previous one works for 24 hours.',
  examples: ['svc keys rotate ID'],
  async run(_, given) {
    const { svc } = await connect(given)
    const rotated = await svc.request('POST /api/v1/service-accounts/{id}/rotate', {
      path: { id: given.parameters[0] ?? '' },
    })
    print(given, rotated, () => JSON.stringify(rotated, null, 2))
    return EXIT.ok
  },
})

export const keysRevoke = clientCommand({
  name: 'keys revoke',
  parameters: ['ID'],
  summary: 'Ends a key for good.',
  examples: ['svc keys revoke ID'],
  async run(_, given) {
    const { svc } = await connect(given)
    const revoked = await svc.request('DELETE /api/v1/service-accounts/{id}', {
      path: { id: given.parameters[0] ?? '' },
    })
    print(given, revoked, () => list({ id: revoked.id, status: revoked.status }))
    return EXIT.ok
  },
})
