// Builds the console to web/dist and compresses its files once, so that the service only sends them. npm runs it after
// `npm ci`; an install without the development dependencies keeps the console that is there.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = import.meta.dirname
const vite = await import('vite').catch(() => null)
if (!vite) {
  console.log(
    'The web console was not built: it needs the development dependencies (npm ci, then npm run web).',
  )
  process.exit(0)
}
await vite.build({ root, configFile: join(root, 'vite.config.ts'), logLevel: 'warn' })

const assets = join(root, 'dist', 'assets')
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } }
for (const name of await readdir(assets)) {
  const content = await readFile(join(assets, name))
  await writeFile(join(assets, `${name}.br`), await promisify(brotliCompress)(content, quality))
  await writeFile(join(assets, `${name}.gz`), await promisify(gzip)(content, { level: 9 }))
}
