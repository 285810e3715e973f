/** The walls of the house (docs/ARCHITECTURE.md): imports run downhill, a module is entered by its index.ts alone. */
const hill = [
  ['platform'], ['ledger', 'identity'], ['wallets'], ['agents'], ['trust'], ['payments', 'payouts'], ['ap2'],
  ['affiliates', 'gateway'], ['onboarding', 'discovery', 'market', 'certification', 'sandbox', 'pages'],
]
const folder = name => (name === 'platform' ? '^server/platform/' : `^server/modules/${name}/`)
const any = names => names.map(folder).join('|')

const uphill = hill.slice(0, -1).map((names, level) => ({
  name: `downhill-from-${names.join('-')}`,
  comment: 'A lower module never imports an upper one: announce a fact with react() instead.',
  severity: 'error',
  // Tests go through the whole service.
  from: { path: any(names), pathNot: '\\.test\\.ts$' },
  to: { path: [...hill.slice(level + 1).map(any), '^server/app/'].join('|') },
}))

const neighbours = hill.flatMap(names => names.filter(() => names.length > 1).map(name => ({
  name: `no-neighbour-of-${name}`,
  comment: 'Modules of one level do not know each other.',
  severity: 'error',
  from: { path: folder(name) },
  to: { path: any(names.filter(other => other !== name)) },
})))

module.exports = {
  forbidden: [
    ...uphill,
    ...neighbours.filter(rule => rule.to.path),
    {
      name: 'front-door', severity: 'error', comment: 'Enter a module by its index.ts (import from "#name").',
      from: { path: '^server/(modules/([^/]+)/|app/|main|platform/)', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/modules/([^/]+)/', pathNot: ['^server/modules/$2/', '^server/modules/[^/]+/index\\.ts$'] },
    },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    { name: 'no-tests-in-production', severity: 'error', from: { path: '^server/', pathNot: '\\.test\\.ts$' }, to: { path: '(\\.test\\.ts$|^test/)' } },
    {
      name: 'no-dev-dependency-in-server', severity: 'error', from: { path: '^server/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    { name: 'no-orphans', severity: 'error', from: { orphan: true, path: '^server/.*\\.ts$', pathNot: '\\.test\\.ts$' }, to: {} },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'], extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'] },
  },
}
