import { access, constants, lstat, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'

/** Makes the data folder. Throws an error that says what to do if that is impossible, or if this user may not use it. */
export async function ensureDataDir(dataDir: string): Promise<void> {
  await makeFolder(dataDir).catch(async (error: NodeJS.ErrnoException) => {
    const reason = (await isRefused(error)) ? 'its file system accepts no folder there' : reasonOf(error)
    throw new Error(
      `The data folder ${dataDir} cannot be made (${reason}). Set SVC_DATA_DIR to a folder that user ${process.getuid?.() ?? ''} may write.`,
      { cause: error },
    )
  })
  await access(dataDir, constants.R_OK | constants.W_OK | constants.X_OK).catch(
    (error: NodeJS.ErrnoException) => {
      throw new Error(
        `User ${process.getuid?.() ?? ''} may not use the data folder ${dataDir} (${reasonOf(error)}). Start the service as the owner of the folder, or set SVC_DATA_DIR to another one.`,
        { cause: error },
      )
    },
  )
}

/**
 * `mkdir` with `recursive` of Node reports a read-only file system as a missing folder, and does not end below /proc, where no
 * folder can be made.
 */
async function makeFolder(path: string): Promise<void> {
  const code = await codeOf(mkdir(path))
  if (code === null || (code === 'EEXIST' && (await stat(path)).isDirectory())) return
  if (code === 'ENOENT' && (await codeOf(lstat(dirname(path)))) === 'ENOENT') {
    await makeFolder(dirname(path))
    return makeFolder(path)
  }
  // Fails again, with the error for the caller, unless another process makes the same folders.
  await mkdir(path).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(path)).isDirectory()) throw error
  })
}

/** Below /proc a folder is reported as missing that cannot be made, although the one around it exists. */
const isRefused = async ({ code, syscall, path }: NodeJS.ErrnoException): Promise<boolean> =>
  code === 'ENOENT' && syscall === 'mkdir' && (await codeOf(stat(dirname(path ?? '')))) === null

/** Null if it succeeds. */
const codeOf = (work: Promise<unknown>): Promise<string | null> =>
  work.then(
    () => null,
    ({ code = '' }: NodeJS.ErrnoException) => code,
  )

const REASONS: Record<string, string> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file, or a link to a folder that is gone',
  ENOENT: 'it is a link to a folder that is gone',
  ENOSPC: 'no space is left on the disk',
}

const reasonOf = ({ code = '', message }: NodeJS.ErrnoException): string => REASONS[code] ?? message
