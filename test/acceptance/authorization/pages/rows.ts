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
  ...['pages.css', 'pages.js', 'api.js', 'dom.js', 'forms.js'].map(name =>
    all(`GET /assets/${name}`, 'none'),
  ),
  all('GET /assets/{name}', 'none', 404, { target: at.nobodys }),
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
    'docs/api.md',
    'llms.txt',
    ...Object.keys(DOCUMENTS).map(name => `.well-known/${name}`),
  ].map(path => all(`GET /${path}`, 'none')),
]
