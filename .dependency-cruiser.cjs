/** The module boundaries of docs/ARCHITECTURE.md: imports point to lower layers, a module is entered by its index.ts. */
const { LEVELS } = require('./server/modules/registry.ts')

const layers = [['platform'], ...LEVELS]
const folder = name => (name === 'platform' ? '^server/platform/' : `^server/modules/${name}/`)
const any = names => names.map(folder).join('|')

const upward = layers.map((names, level) => ({
  name: `no-upward-import-from-${names.join('-')}`,
  comment: 'A lower module never imports an upper one: publish a domain event, or declare a port.',
  severity: 'error',
  // Tests go through the whole service.
  from: { path: any(names), pathNot: '\\.test\\.ts$' },
  to: { path: [...layers.slice(level + 1).map(any), '^server/app/', '^server/modules/registry'].join('|') },
}))

const siblings = layers.flatMap(names =>
  names
    .filter(() => names.length > 1)
    .map(name => ({
      name: `no-sibling-import-from-${name}`,
      comment: 'Modules of one level do not import each other.',
      severity: 'error',
      from: { path: folder(name) },
      to: { path: any(names.filter(other => other !== name)) },
    })),
)

module.exports = {
  forbidden: [
    ...upward,
    ...siblings.filter(rule => rule.to.path),
    {
      name: 'typebox-through-type',
      severity: 'error',
      comment: 'Import Type from "#platform/http/type": TypeBox itself would take 90 ms of each start.',
      from: { path: '^server/', pathNot: ['^server/platform/http/type\\.(test\\.)?ts$'] },
      to: { path: '(^|/)typebox($|/)' },
    },
    {
      name: 'public-api',
      severity: 'error',
      comment: 'Import a module through its index.ts (from "#name").',
      from: { path: '^server/(modules/([^/]+)/|app/|main|platform/)', pathNot: '\\.test\\.ts$' },
      to: {
        path: '^server/modules/([^/]+)/',
        pathNot: ['^server/modules/$2/', '^server/modules/[^/]+/index\\.ts$'],
      },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-tests-in-production',
      severity: 'error',
      from: { path: '^server/', pathNot: '\\.test\\.ts$' },
      to: { path: '(\\.test\\.ts$|^test/)' },
    },
    {
      name: 'no-dev-dependency-in-server',
      severity: 'error',
      from: { path: '^server/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      // The generator of types belongs to the console, because it needs another version of TypeScript.
      to: { couldNotResolve: true, pathNot: '^openapi-typescript$' },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^server/.*\\.ts$', pathNot: '\\.test\\.ts$' },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
