// The table of settings in docs/OPERATIONS.md, made from the schema: `npm run settings`.
import { readFile, writeFile } from 'node:fs/promises'
import { settings } from '#platform/config'

const FILE = 'docs/OPERATIONS.md'
const PLACE = /(<!-- settings: npm run settings -->\n)[\s\S]*(<!-- \/settings -->)/

/** The document with a fresh table, as it should be. */
export async function operationsText(): Promise<string> {
  const rows = Object.entries(settings).map(([name, { fallback, doc }]) => {
    const value = Array.isArray(fallback) || fallback === undefined ? '' : `\`${String(fallback)}\``
    return `| \`${name}\` | ${value} | ${doc.replaceAll('|', '\\|')} |`
  })
  return (await readFile(FILE, 'utf8')).replace(PLACE, (_all, open: string, close: string) => `${open}| Variable | Default | |\n|---|---|---|\n${rows.join('\n')}\n${close}`)
}

if (import.meta.main) {
  await writeFile(FILE, await operationsText())
  console.log(`${FILE}: ${Object.keys(settings).length} settings`)
}
