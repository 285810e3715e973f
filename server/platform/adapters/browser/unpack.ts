/**
 * Unpacks the browser that npm brought: `node unpack.ts DRAFT FOLDER` writes into the empty folder DRAFT, which will be FOLDER.
 * `unpackBrowser` runs this file as a process of its own with a low priority: it takes seconds of both cores and 150 MB, at the
 * first start, when somebody waits for answers of the service.
 */
import { fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { constants as osConstants, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliDecompress } from 'node:zlib'
import { installFonts } from './fonts.ts'

if (process.argv[1] === import.meta.filename && process.send) {
  const [draft = '', folder = ''] = process.argv.slice(2)
  // The service that waits for it has ended.
  const giveUp = () => {
    rmSync(draft, { recursive: true, force: true })
    process.exit(1)
  }
  process.once('disconnect', giveUp)
  await unpack(draft, folder).catch(({ message }: Error) => process.send?.(message))
  process.off('disconnect', giveUp)
  process.disconnect()
}

/** Throws if the browser cannot be unpacked. */
export async function unpackBrowser(draft: string, folder: string): Promise<void> {
  const child = fork(import.meta.filename, [draft, folder], {
    env: { PATH: process.env.PATH },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  let failure: string | undefined
  child.once('message', message => {
    if (typeof message === 'string') failure = message
  })
  if (child.pid) setPriority(child.pid, osConstants.priority.PRIORITY_LOW)
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (failure || status !== 0) throw new Error(failure ?? `unpacking ended with ${signal ?? status}`)
}

export function packageFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..')
}

async function unpack(draft: string, folder: string): Promise<void> {
  const archives = [
    ['chromium.br', 'chromium'],
    ['al2023.tar.br', 'libraries.tar'],
    ['swiftshader.tar.br', 'swiftshader.tar'],
    ['fonts.tar.br', 'fonts.tar'],
  ] as const
  await Promise.all(
    archives.map(([from, to]) =>
      pipeline(
        createReadStream(join(packageFolder(), 'bin', from)),
        createBrotliDecompress({
          chunkSize: 2 ** 21,
          params: { [constants.BROTLI_DECODER_PARAM_LARGE_WINDOW]: 0 },
        }),
        createWriteStream(join(draft, to), { mode: 0o755, flush: true }),
      ),
    ),
  )
  for (const [, archive] of archives.slice(1)) {
    const { status, stderr } = spawnSync('tar', ['xf', archive, '--no-same-owner'], {
      cwd: draft,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`cannot unpack ${archive}: ${stderr}`)
    await rm(join(draft, archive))
  }
  await installFonts(draft, folder)
  spawnSync('chmod', ['-R', 'a+rX', draft])
}
