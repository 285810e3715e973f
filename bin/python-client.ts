// Generates a Python client from openapi/openapi.json with openapi-python-client: `npm run python-client`.
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OVERRIDES } from './ci/openapi/python.ts'

/** The command of the generator, if this machine has it: in the PATH, or as a module of its Python. */
const command = [['openapi-python-client'], ['python3', '-m', 'openapi_python_client']].find(
  ([file = '', ...args]) => spawnSync(file, [...args, '--version']).status === 0,
)

/** Where the client is not wanted, it is generated only to see what the generator says. */
async function generate([file = '', ...args]: string[], target?: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-python-'))
  await writeFile(join(folder, 'config.json'), JSON.stringify({ content_type_overrides: OVERRIDES }))
  const options = [
    ['--path', 'openapi/openapi.json'],
    ['--config', join(folder, 'config.json')],
    ['--output-path', target ?? join(folder, 'client')],
    ['--overwrite', '--fail-on-warning'],
  ].flat()
  const { status } = spawnSync(file, [...args, 'generate', ...options], { stdio: 'inherit' })
  await rm(folder, { recursive: true })
  process.exitCode = status ?? 1
}

if (command) await generate(command, process.argv[2])
else
  console.log(
    'openapi-python-client is not installed, so nothing was generated: pip install openapi-python-client',
  )
