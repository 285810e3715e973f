// Writes the software bill of materials (CycloneDX) of what is shipped: `npm run sbom`, or `npm run sbom -- FILE`.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import process from 'node:process'
import { lockedPackages, nameOf, shippedPackages } from './shipped-packages.ts'

const DEFAULT_FILE = 'sbom.cdx.json'

interface Bom {
  metadata: { component: { name: string } }
  components: { 'bom-ref': string; name: string; version: string }[]
  dependencies: { ref: string; dependsOn?: string[] }[]
}

/** From the lock file alone, so that the result is the same on every platform, installed or not. */
export async function billOfMaterials(): Promise<Bom> {
  const args = ['sbom', '--sbom-format=cyclonedx', '--package-lock-only', '--loglevel=error']
  const bom = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', maxBuffer: 2 ** 27 })) as Bom
  const shipped = new Set(
    Object.entries(shippedPackages(await lockedPackages())).map(
      ([path, { version }]) => `${nameOf(path)}@${version}`,
    ),
  )
  const { name } = JSON.parse(await readFile('package.json', 'utf8')) as { name: string }
  const components = bom.components.filter(each => shipped.has(`${each.name}@${each.version}`))
  const refs = new Set(components.map(each => each['bom-ref']))
  const dependencies = bom.dependencies
    .filter(({ ref }) => refs.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(each => refs.has(each)) }))
  // npm takes the name of the folder.
  const metadata = { ...bom.metadata, component: { ...bom.metadata.component, name } }
  return { ...bom, metadata, components, dependencies }
}

if (import.meta.main) {
  const file = resolve(process.argv[2] ?? DEFAULT_FILE)
  const bom = await billOfMaterials()
  await writeFile(file, `${JSON.stringify(bom, null, 2)}\n`)
  console.log(`${file}: ${bom.components.length} packages`)
}
