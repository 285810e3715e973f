// From a URL to the file that serves it: `npm run rooms` lists all, `npm run rooms -- /ap2/deliver` some.
import { glob, readFile } from 'node:fs/promises'
import process from 'node:process'

const wanted = process.argv[2] ?? ''
const rooms: { room: string; file: string }[] = []
for await (const file of glob(['server/modules/*/routes.ts', 'server/modules/*/routes/*.ts', 'server/app/**/*.ts'])) {
  const text = await readFile(file, 'utf8')
  for (const match of text.matchAll(/method: '(\w+)'[^{}]*?url: ['`]([^'`]+)['`]|url: ['`]([^'`]+)['`][^{}]*?method: '(\w+)'/gs)) {
    const line = text.slice(0, match.index).split('\n').length
    rooms.push({ room: `${(match[1] ?? match[4] ?? '').padEnd(6)} ${match[2] ?? match[3] ?? ''}`, file: `${file}:${line}` })
  }
}
for (const { room, file } of rooms.filter(each => each.room.includes(wanted)).sort((a, b) => a.room.slice(7).localeCompare(b.room.slice(7)))) {
  console.log(`${room.padEnd(64)} ${file}`)
}
