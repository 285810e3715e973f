import { Type } from '#platform/http/type'
import { query, type App } from '#platform/http/operations'
import { Id, pageOf, PageOf } from '#platform/http/schema'
import { Profile } from '../schema.ts'
import { listPeople, readPerson } from './people.ts'
import { PeopleQuery, Person } from './people-schema.ts'

/** Accounts as admins find and read them. */
export function peopleRoutes(app: App): void {
  const read = { method: 'GET', tag: 'Admin', access: { accept: ['jwt'], role: 'ADMIN' } } as const
  query(app, {
    ...read,
    url: '/admin/users',
    id: 'listUsers',
    summary: 'List accounts',
    description: 'Newest first. With `ids` it gives the names of the accounts that other lists mention.',
    query: PeopleQuery,
    success: [200, PageOf(Profile)],
    run: (q, _, { query: filter }) => listPeople(q, filter, pageOf(filter)),
  })
  query(app, {
    ...read,
    url: '/admin/users/{id}',
    id: 'getUser',
    summary: 'Get an account',
    description:
      'With how it signs in. Its wallets: `GET /admin/wallets`; its deals: `GET /admin/escrows`; its agents: `GET /agents`.',
    params: Type.Object({ id: Id }),
    success: [200, Person],
    run: (q, _, { params }) => readPerson(q, params.id),
  })
}
