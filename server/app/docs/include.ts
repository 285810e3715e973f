import { slugOf } from './markdown.ts'

/** A line that stands for a section of another file: `<!-- include README.md#pay-out -->`. */
const INCLUDE = /^<!-- include (\S+)#(\S+) -->$/gm

/** Puts the sections in that a text includes, without their headings. `read` returns a file. */
export async function includeSections(
  text: string,
  read: (file: string) => Promise<string>,
): Promise<string> {
  const files = new Map<string, string>()
  for (const [, file = ''] of text.matchAll(INCLUDE)) files.set(file, files.get(file) ?? (await read(file)))
  return text.replaceAll(INCLUDE, (_, file: string, id: string) => sectionOf(files.get(file) ?? '', id))
}

function sectionOf(text: string, id: string): string {
  const [, ...sections] = text.split(/^(?=## )/m)
  const found = sections.find(section => slugOf(section.slice(3, section.indexOf('\n'))) === id)
  if (found === undefined) throw new Error(`no section ${id} to include`)
  return found.slice(found.indexOf('\n')).trim()
}
