import { Svc, type SvcOptions } from '#sdk'
import { note } from './output.ts'

/** After this time a person no longer knows whether a command still runs. */
const SILENT_MS = 5000

/** A client that says on standard error when the service takes long to answer. */
export const openClient = (options: SvcOptions): Svc => new Svc({ ...options, fetch: fetchWithNotice })

const fetchWithNotice: typeof fetch = async (input, init) => {
  const notice = setTimeout(() => {
    const { origin } = new URL(input instanceof Request ? input.url : input)
    note(`${origin} has not answered yet. Ctrl-C ends the command.`)
  }, SILENT_MS)
  try {
    return await fetch(input, init)
  } finally {
    clearTimeout(notice)
  }
}
