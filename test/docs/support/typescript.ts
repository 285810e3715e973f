import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

const ROOT = join(import.meta.dirname, '../../..')
const SDK = join(ROOT, 'packages/sdk/src/index.ts')

/** What the compiler finds in the files of a folder, in which `@svc/sdk` is the SDK of the project. */
export async function compile(folder: string): Promise<string> {
  const config = {
    compilerOptions: {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      target: 'es2024',
      module: 'nodenext',
      allowImportingTsExtensions: true,
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      paths: { '@svc/sdk': [SDK], '*': [join(ROOT, 'node_modules/*')] },
    },
    include: ['*.ts'],
  }
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  return promisify(execFile)(process.execPath, [tsc, '-p', folder], { maxBuffer: 1e8 }).then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  )
}

/** A program imports the SDK of the project as `@svc/sdk`, and other packages from the project. */
const HOOKS = [
  `import { registerHooks } from 'node:module'`,
  `const sdk = { url: ${JSON.stringify(`file://${SDK}`)}, shortCircuit: true }`,
  `const project = { parentURL: ${JSON.stringify(`file://${ROOT}/package.json`)} }`,
  `const own = new URL('.', import.meta.url).href`,
  `const isForeign = (name, { parentURL = '' }) => parentURL.startsWith(own) && !/^[.]|:/.test(name)`,
  `registerHooks({ resolve: (name, context, next) => name === '@svc/sdk' ? sdk : next(name, isForeign(name, context) ? { ...context, ...project } : context) })`,
]

/** Runs programs one after another in one process; what it prints. Throws the output if one of them fails. */
export async function runPrograms(
  folder: string,
  names: readonly string[],
  variables: Record<string, string> = {},
): Promise<string> {
  const child = await startPrograms(folder, names, variables)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += String(chunk)))
  const [status] = (await once(child, 'close')) as [number]
  if (status !== 0) throw new Error(output.slice(-3000))
  return output
}

/** Starts programs one after another in one process, which ends after the last one unless it serves. */
export async function startPrograms(
  folder: string,
  names: readonly string[],
  variables: Record<string, string>,
  { serves = false } = {},
) {
  const main = [
    ...HOOKS,
    ...names.map(name => `await import('./${name}')`),
    // Clients may hold connections open.
    ...(serves ? [] : [`console.log('all ran')`, 'process.exit()']),
  ]
  const file = `main-${names[0] ?? ''}.mjs`
  await writeFile(join(folder, file), main.join('\n'))
  return spawn(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}
