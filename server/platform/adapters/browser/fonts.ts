import { readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { inflateSync } from 'node:zlib'

/** A font for code, and one that has a simple glyph for nearly every character where no font of the system does. */
const FONTS = {
  'DejaVuSansMono.ttf': '@fontsource/dejavu-mono/files/dejavu-mono-latin-400-normal.woff',
  'UnifontEx.ttf': '@fontsource/unifontex/files/unifontex-latin-400-normal.woff',
}

/** Writes the fonts that npm brought into `folder`, and a fonts.conf for `finalFolder`, where `folder` will be. */
export async function installFonts(folder: string, finalFolder: string): Promise<void> {
  const { resolve } = createRequire(import.meta.url)
  // Chromium takes no WOFF from the system.
  for (const [name, path] of Object.entries(FONTS))
    await writeFile(join(folder, 'fonts', name), unpackWoff(await readFile(resolve(path))))
  await writeFile(join(folder, 'fonts.conf'), fontsConfig(finalFolder))
}

// The browser package's own fonts.conf names fixed folders of another system: without fonts a page has no text.
const fontsConfig = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>/usr/share/fonts</dir><dir>/usr/local/share/fonts</dir><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir>
<alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`

const [HEADER, ENTRY, SFNT_HEADER, SFNT_ENTRY] = [44, 20, 12, 16]

/** The TrueType or OpenType font in a WOFF file (https://www.w3.org/TR/WOFF/): the same tables, each packed with zlib. */
export function unpackWoff(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new Error('this is no WOFF font')
  const count = woff.readUInt16BE(12)
  const directory = Buffer.alloc(SFNT_HEADER + SFNT_ENTRY * count)
  const power = 2 ** Math.floor(Math.log2(count))
  woff.copy(directory, 0, 4, 8)
  for (const [at, value] of [
    [4, count],
    [6, power * 16],
    [8, Math.log2(power)],
    [10, (count - power) * 16],
  ] as const)
    directory.writeUInt16BE(value, at)
  const parts = [directory]
  let length = directory.length
  for (let index = 0; index < count; index++) {
    const entry = woff.subarray(HEADER + ENTRY * index)
    const [offset, packed, size] = [entry.readUInt32BE(4), entry.readUInt32BE(8), entry.readUInt32BE(12)]
    const data = woff.subarray(offset, offset + packed)
    const at = SFNT_HEADER + SFNT_ENTRY * index
    // Tag and checksum stay; then the place and the size of the table.
    entry.copy(directory, at, 0, 4)
    entry.copy(directory, at + 4, 16, 20)
    directory.writeUInt32BE(length, at + 8)
    directory.writeUInt32BE(size, at + 12)
    const table = Buffer.alloc(Math.ceil(size / 4) * 4)
    ;(packed < size ? inflateSync(data) : data).copy(table)
    parts.push(table)
    length += table.length
  }
  return Buffer.concat(parts)
}
