import { DOCUMENTS } from '../../../../server/modules/discovery/documents/index.ts'
import { all, type Row } from '../row.ts'
import * as at from '../targets.ts'

/** Pages, their assets, and documents: everybody may read them. */
export const documents: Row[] = [
  ...['setup', 'claim', 'reset', 'verify', 'login'].map(page =>
    all(`GET /${page}/{token}`, 'none', 404, { target: at.nobodys }),
  ),
  ...['', 'signup', 'login', 'auth/done'].map(path => all(`GET /${path}`, 'none')),
  all('GET /account', 'none', 302),
  ...['pages', 'api', 'dom', 'forms', 'docs', 'docs-key', 'docs-search'].map(name =>
    all(`GET /assets/${name}.js`, 'none'),
  ),
  ...['pages', 'docs', 'docs-page', 'docs-samples', 'docs-sizes'].map(name =>
    all(`GET /assets/${name}.css`, 'none'),
  ),
  // Without the contact of an operator.
  all('GET /.well-known/security.txt', 'none', 404),
  all('GET /assets/{name}', 'none', 404, { target: at.nobodys }),
  all('GET /docs/{*}', 'none', 404),
  // Its status depends on whether the console is built here.
  all('GET /app', 'none', 200, { unasked: true }),
  all('GET /app/{*}', 'none', 200, { unasked: true }),
  ...[
    'favicon.ico',
    'robots.txt',
    'healthz',
    'readyz',
    'metrics',
    'openapi.json',
    'openapi.yaml',
    'docs',
    'docs/search',
    'docs/search.json',
    'llms.txt',
    'llms-full.txt',
    ...Object.keys(DOCUMENTS).map(name => `.well-known/${name}`),
  ].map(path => all(`GET /${path}`, 'none')),
]
