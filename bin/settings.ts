// Writes the table of settings in docs/OPERATIONS.md from the schema: `npm run settings`.
import { readFile, writeFile } from 'node:fs/promises'
import { format } from 'oxfmt'
import { settings } from '#platform/kernel/config'

const FILE = 'docs/OPERATIONS.md'
const PLACE = /(<!-- settings: npm run settings -->\n)[\s\S]*(<!-- \/settings -->)/

/** The expected text of the document, with a new table. */
export async function operationsText(): Promise<string> {
  const rows = Object.entries(settings).map(([name, { fallback, doc }]) => {
    const value = Array.isArray(fallback) || fallback === undefined ? '' : `\`${String(fallback)}\``
    return `| \`${name}\` | ${value} | ${doc.replaceAll('|', '\\|')} |`
  })
  const text = (await readFile(FILE, 'utf8')).replace(
    PLACE,
    (_all, open: string, close: string) =>
      `${open}\n| Variable | Default | |\n|---|---|---|\n${rows.join('\n')}\n\n${close}`,
  )
  return (await format(FILE, text, { printWidth: 100, proseWrap: 'always' })).code
}

if (import.meta.main) {
  await writeFile(FILE, await operationsText())
  console.log(`${FILE}: ${Object.keys(settings).length} settings`)
}
