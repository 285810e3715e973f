import process from 'node:process'
import { Svc, type Operation } from '#sdk'
import { EXIT, UsageError } from '../commands/command.ts'
import { clientCommand } from './command.ts'
import { connect } from './connect.ts'
import { note } from './output.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const DOWNLOAD = /^GET \/vault\/([^/?]+)\/content$/

/** The path of a request is not one of the compiler: the service decides. */
function request(svc: Svc, operation: string, body: unknown): Promise<unknown> {
  const id = DOWNLOAD.exec(operation)?.[1]
  // A file of any media type: by the name of its operation the client knows that it must not read it.
  if (id !== undefined)
    return svc.request('GET /vault/{id}/content', { path: { id: decodeURIComponent(id) } })
  return svc.request(operation as Operation & 'POST /ap2/start', { body: body as never })
}

/** A file or a picture as it is, so that it can be redirected into a file; everything else as text. */
function show(response: unknown): void {
  if (response === undefined) note('done, without content')
  else if (response instanceof Uint8Array) process.stdout.write(response)
  else console.log(typeof response === 'string' ? response : JSON.stringify(response, null, 2))
}

export const api = clientCommand({
  name: 'api',
  parameters: ['METHOD', 'PATH'],
  summary: 'Sends any request of the API with your credential, and prints the response.',
  options: ['--data JSON  The body'],
  examples: [
    'svc api GET /users/me',
    `svc api POST /market/needs --data '{"title":"A logo","budget":50}'`,
    'svc api GET /vault/ID/content > report.zip',
  ],
  async run(_, given) {
    const [method = '', path = ''] = given.parameters
    if (!METHODS.includes(method.toUpperCase()) || !path.startsWith('/'))
      throw new UsageError(`METHOD is one of ${METHODS.join(', ')}, and PATH begins with /`)
    const data = given.options.get('--data')
    let body: unknown
    try {
      body = data === undefined ? undefined : JSON.parse(data)
    } catch (error) {
      throw new UsageError(`--data is not JSON: ${(error as Error).message}`)
    }
    const { svc } = await connect(given)
    show(await request(svc, `${method.toUpperCase()} ${path}`, body))
    return EXIT.ok
  },
})
