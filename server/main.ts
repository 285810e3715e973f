import process from 'node:process'

const [major = 0] = process.versions.node.split('.').map(Number)
if (major < 24) {
  process.stderr.write(
    `svc needs Node 24, this is ${process.version}. Start it with "npm start": npm ci installs Node 24 into node_modules.\n`,
  )
  process.exit(78)
}
await import('./resolve.ts')
const { run } = await import('./app/run.ts')
await run(process.env)
