import { Svc, type Operation } from '#sdk'
import { EXIT, UsageError } from '../commands/command.ts'
import { clientCommand } from './command.ts'
import { connect } from './connect.ts'
import { note } from './output.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/** The path of a request is not one of the compiler: the service decides. */
const request = (svc: Svc, operation: string, body: unknown): Promise<unknown> =>
  svc.request(operation as Operation & 'POST /ap2/start', { body: body as never })

export const api = clientCommand({
  name: 'api',
  parameters: ['METHOD', 'PATH'],
  summary: 'Sends any request of the API with your credential, and prints the response.',
  options: ['--data JSON  The body'],
  examples: ['svc api GET /users/me', `svc api POST /market/needs --data '{"title":"A logo","budget":50}'`],
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
    const response = await request(svc, `${method.toUpperCase()} ${path}`, body)
    if (response === undefined) note('done, without content')
    else console.log(typeof response === 'string' ? response : JSON.stringify(response, null, 2))
    return EXIT.ok
  },
})
