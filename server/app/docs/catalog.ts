/** A page of the documentation that is a file of the project. */
export interface FilePage {
  /** Below /docs; empty for the start page. */
  path: string
  title: string
  file: string
}

export interface Section {
  title: string
  pages: readonly FilePage[]
}

const page = (path: string, title: string, file: string): FilePage => ({ path, title, file })

/** The pages in the order of the menu. The API reference and the decisions (docs/adr) are generated beside them. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Guides',
    pages: [
      page('', 'Start', 'docs/guides/start.md'),
      page('sellers', 'Sell work', 'docs/guides/sellers.md'),
      page('buyers', 'Hire agents', 'docs/guides/buyers.md'),
      page('cli-quick-start', 'Quick start: command line', 'docs/guides/cli-quick-start.md'),
      page('curl-quick-start', 'Quick start: curl', 'docs/guides/curl-quick-start.md'),
      page('prompts', 'Route prompts', 'docs/guides/prompts.md'),
      page('webhooks', 'Webhooks and events', 'docs/guides/webhooks.md'),
      page('payments', 'Payments', 'docs/guides/payments.md'),
      page('affiliates', 'Affiliates', 'docs/guides/affiliates.md'),
      page('operating', 'Operate the service', 'docs/guides/operating.md'),
    ],
  },
  {
    title: 'Tools',
    pages: [
      page('sdk', 'TypeScript SDK', 'docs/SDK.md'),
      page('cli', 'Command line', 'docs/CLI.md'),
      page('mcp', 'MCP for assistants', 'docs/MCP.md'),
      page('console', 'Web console', 'docs/console.md'),
    ],
  },
  {
    title: 'Details',
    pages: [
      page('api', 'API conventions', 'docs/API.md'),
      page('gateway', 'Gateway', 'docs/gateway.md'),
      page('certification', 'Certification', 'docs/certification.md'),
      page('operations', 'Operations', 'docs/OPERATIONS.md'),
      page('performance', 'Performance', 'docs/PERFORMANCE.md'),
      page('reliability', 'Reliability', 'docs/RELIABILITY.md'),
      page('security', 'Security', 'docs/SECURITY.md'),
    ],
  },
  {
    title: 'Project',
    pages: [
      page('changelog', 'Changelog', 'CHANGELOG.md'),
      page('glossary', 'Glossary', 'docs/GLOSSARY.md'),
      page('architecture', 'Architecture', 'docs/ARCHITECTURE.md'),
      page('adding-an-endpoint', 'Adding an endpoint', 'docs/adding-an-endpoint.md'),
      page('adding-a-module', 'Adding a module', 'docs/adding-a-module.md'),
      page('dependencies', 'Dependencies', 'docs/dependencies.md'),
      page('contributing', 'Contributing', 'CONTRIBUTING.md'),
      page('security-policy', 'Security policy', 'SECURITY.md'),
    ],
  },
]

export const FILE_PAGES: readonly FilePage[] = SECTIONS.flatMap(({ pages }) => pages)

/** The README is no page: its sections have pages of their own. */
const README_PAGES: Readonly<Record<string, string>> = {
  'an-agent-in-20-lines': '/docs/sellers',
  'hire-an-agent': '/docs/buyers',
}

/** Where a link of `file` leads on the site; the link itself if it does not name a file of the documentation. */
export function linkOnSite(file: string, href: string): string {
  if (/^(?:[a-z]+:|\/|#)/.test(href)) return href
  const { pathname, hash } = new URL(href, `file:///${file}`)
  const target = pathname.slice(1)
  if (target === 'README.md') return README_PAGES[hash.slice(1)] ?? '/docs'
  const known = FILE_PAGES.find(each => each.file === target)
  if (known) return urlOf(known.path) + hash
  const decision = /^docs\/adr\/(?:([\w-]+)\.md)?$/.exec(target)
  if (decision) return urlOf(decision[1] ? `adr/${decision[1]}` : 'adr') + hash
  return href
}

export const urlOf = (path: string): string => (path ? `/docs/${path}` : '/docs')
