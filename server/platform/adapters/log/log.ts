import { pino, type DestinationStream, type Logger } from 'pino'
import { maskUrl, type MatchedRoute } from './mask-url.ts'

export type Log = Logger

/** The parts of a request that are logged. */
interface LoggedRequest {
  method?: string
  url?: string
  params?: unknown
  routeOptions?: { url?: string }
}

const routeOf = ({ routeOptions, params }: LoggedRequest): MatchedRoute | undefined =>
  routeOptions?.url ? { template: routeOptions.url, params: params as MatchedRoute['params'] } : undefined

// PostgreSQL puts whole rows into `detail` and `where`: they name persons and hold hashes.
function errorOf(error: Error): object {
  const {
    detail: _detail,
    where: _where,
    ...rest
  } = pino.stdSerializers.err(error) as pino.SerializedError & { detail?: string; where?: string }
  return rest
}

/** JSON lines, by default on standard output. Headers and bodies are never logged. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
      serializers: {
        req: (request: LoggedRequest) => ({
          method: request.method,
          url: maskUrl(request.url ?? '', routeOf(request)),
        }),
        res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
        err: errorOf,
      },
    },
    destination,
  )
