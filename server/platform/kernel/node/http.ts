import process from 'node:process'

/** `node:http` without its classes of the web: an import of all names would load undici, 40 ms of each start. */
export const { STATUS_CODES, createServer, request } = process.getBuiltinModule('node:http')
