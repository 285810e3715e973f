import { pino, type DestinationStream, type Logger } from 'pino'

export type Log = Logger

const TOKEN_PATH = /^\/((?:agents\/)?claim|setup|reset|verify|login)\/[^/?#]+/
const SECRET_QUERY = /([?&](?:\w*token|\w*code|\w*key|\w*password|\w*secret|state|email)=)[^&#]+/gi

/** A URL as it may stand in a log: one-time tokens in path and query are masked. */
export const maskUrl = (url: string): string => url.replace(TOKEN_PATH, '/$1/***').replace(SECRET_QUERY, '$1***')

// PostgreSQL puts whole rows into `detail` and `where`: they name persons and hold hashes.
function errorOf(error: Error): object {
  const { detail: _detail, where: _where, ...rest } = pino.stdSerializers.err(error) as pino.SerializedError & { detail?: string; where?: string }
  return rest
}

/** JSON lines, on standard output unless told otherwise. Headers and bodies are never logged. */
export const createLog = (level: string, destination: DestinationStream = pino.destination(1)): Log => pino({
  level,
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  formatters: { level: label => ({ level: label }) },
  serializers: {
    req: (request: { method?: string; url?: string; id?: string }) => ({ method: request.method, url: maskUrl(request.url ?? '') }),
    res: (reply: { statusCode?: number }) => ({ status: reply.statusCode }),
    err: errorOf,
  },
}, destination)
