import type { Media, Operation } from '../../openapi/model.ts'
import { javascriptOf, jsonOf, pythonOf } from './literals.ts'

/** One operation with what a sample of it sends. */
export interface SampleRequest {
  method: string
  path: string
  operation: Operation
}

export interface Sample {
  language: 'sh' | 'ts' | 'python'
  code: string
}

interface Credential {
  header: string
  value: string
}

const bearer = (token: string): Credential => ({ header: 'Authorization', value: `Bearer ${token}` })

/** The credential of a sample: the first of these that the operation takes. An account key is best, because it lasts. */
const CREDENTIALS: readonly (readonly [scheme: string, credential: Credential])[] = [
  ['accountKeyAsBearer', bearer('sk_YOUR_KEY')],
  ['accessToken', bearer('YOUR_ACCESS_TOKEN')],
  ['agentKey', { header: 'x-agent-api-key', value: 'sa_YOUR_KEY' }],
  ['routingKey', bearer('rk_YOUR_KEY')],
  ['processorSignature', { header: 'payment-processor-signature', value: 't=1767225600,v1=YOUR_SIGNATURE' }],
  ['internalSecret', { header: 'x-internal-secret', value: 'YOUR_SECRET' }],
]

/** What the SDK sends by itself for a key. */
const KEY_OF_SDK = /^(?:Bearer )?((?:sk|rk|sa)_YOUR_KEY|YOUR_ACCESS_TOKEN)$/

function credentialOf({ security = [] }: Operation): Credential | undefined {
  const accepted = new Set(security.flatMap(each => Object.keys(each)))
  // One alternative of the operation needs no credential.
  if (security.some(each => !Object.keys(each).length)) return undefined
  return CREDENTIALS.find(([scheme]) => accepted.has(scheme))?.[1]
}

type Values = Record<string, unknown>

/** The parameters that a sample sends: those that are required. */
function parametersOf({ parameters = [] }: Operation, place: 'path' | 'query'): Values {
  return Object.fromEntries(
    parameters
      .filter(each => each.in === place && each.required && each.example !== undefined)
      .map(({ name = '', example }) => [name, example]),
  )
}

function urlOf({ path, operation }: SampleRequest): string {
  const values = parametersOf(operation, 'path')
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parametersOf(operation, 'query'))) query.set(name, String(value))
  return filled + (query.size ? `?${String(query)}` : '')
}

type Success = 'json' | 'stream' | 'bytes' | 'text' | 'redirect' | 'none'

/** How the successful response is read. */
export function successOf({ responses }: Operation): Success {
  const [, response] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  if (!response) return 'redirect'
  const types = 'content' in response ? Object.keys(response.content ?? {}) : []
  const [type = ''] = types
  if (!type) return 'none'
  if (type === 'application/json') return 'json'
  if (type === 'text/event-stream') return 'stream'
  return type.startsWith('text/') || /svg|yaml/.test(type) ? 'text' : 'bytes'
}

const bodyOf = ({ requestBody }: Operation): [type: string, media: Media] | undefined =>
  Object.entries(requestBody?.content ?? {})[0]

/** The file that samples of uploads send. */
export const UPLOAD = 'report.pdf'

const isUpload = (operation: Operation): boolean => bodyOf(operation)?.[0] === 'application/octet-stream'

/** Samples of one operation in each language, complete programs. A redirect is for browsers: it has the shell's alone. */
export function samplesOf(request: SampleRequest, baseUrl: string): Sample[] {
  const shell: Sample = { language: 'sh', code: shellOf(request, baseUrl) }
  if (successOf(request.operation) === 'redirect') return [shell]
  return [
    shell,
    { language: 'ts', code: typescriptOf(request, baseUrl) },
    { language: 'python', code: pythonProgramOf(request, baseUrl) },
  ]
}

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function shellOf(request: SampleRequest, baseUrl: string): string {
  const { method, operation } = request
  const credential = credentialOf(operation)
  const body = bodyOf(operation)
  const success = successOf(operation)
  const flags = success === 'redirect' ? ' -i' : success === 'stream' ? ' -N' : ''
  const target = `${baseUrl}${urlOf(request)}`
  const implied = body ? 'POST' : 'GET'
  const parts = [
    `curl${flags}${method === implied ? '' : ` -X ${method}`} ${/[?&]/.test(target) ? inShell(target) : target}`,
    ...(credential ? [`-H ${inShell(`${credential.header}: ${credential.value}`)}`] : []),
    ...(body ? [`-H ${inShell(`Content-Type: ${body[0]}`)}`] : []),
    ...(isUpload(operation)
      ? [`--data-binary @${UPLOAD}`]
      : body
        ? [`-d ${inShell(jsonOf(body[1].example, '  '))}`]
        : []),
    ...(success === 'bytes' ? ['-o response.bin'] : []),
  ]
  return parts.join(' \\\n  ')
}

function typescriptOf({ method, path, operation }: SampleRequest, baseUrl: string): string {
  const credential = credentialOf(operation)
  const [, apiKey] = KEY_OF_SDK.exec(credential?.value ?? '') ?? []
  const pathValues = parametersOf(operation, 'path')
  const query = parametersOf(operation, 'query')
  const body = bodyOf(operation)
  const success = successOf(operation)
  const options = [
    ...(Object.keys(pathValues).length ? [`path: ${javascriptOf(pathValues, '  ')}`] : []),
    ...(Object.keys(query).length ? [`query: ${javascriptOf(query, '  ')}`] : []),
    ...(credential && !apiKey
      ? [`headers: ${javascriptOf({ [credential.header]: credential.value }, '  ')}`]
      : []),
    ...(isUpload(operation)
      ? [`body: await readFile('${UPLOAD}')`]
      : body
        ? [`body: ${javascriptOf(body[1].example, '  ')}`]
        : []),
  ]
  const settings = javascriptOf({ baseUrl, ...(apiKey ? { apiKey } : {}) })
  const call = `svc.${success === 'stream' ? 'open' : 'request'}('${method} ${path}'${argumentsOf(options)})`
  return [
    ...(isUpload(operation) ? [`import { readFile } from 'node:fs/promises'`] : []),
    `import { Svc } from '@svc/sdk'`,
    '',
    `const svc = new Svc(${settings})`,
    ...resultIn(success, call),
  ].join('\n')
}

function argumentsOf(options: readonly string[]): string {
  if (!options.length) return ''
  const line = `, { ${options.join(', ')} }`
  return line.length <= 60 && !line.includes('\n') ? line : `, {\n  ${options.join(',\n  ')},\n}`
}

function resultIn(success: Success, call: string): string[] {
  if (success === 'none') return [`await ${call}`]
  if (success !== 'stream') return [`const result = await ${call}`, 'console.log(result)']
  return [
    `const response = await ${call}`,
    'for await (const chunk of response.body ?? []) process.stdout.write(chunk)',
  ]
}

const PYTHON_READS: Readonly<Record<Success, readonly string[]>> = {
  json: ['    print(json.load(response))'],
  stream: ['    for line in response:', '        print(line.decode(), end="")'],
  bytes: ['    open("response.bin", "wb").write(response.read())'],
  text: ['    print(response.read().decode())'],
  none: ['    print(response.status)'],
  redirect: [],
}

function pythonProgramOf(request: SampleRequest, baseUrl: string): string {
  const { method, operation } = request
  const credential = credentialOf(operation)
  const body = bodyOf(operation)
  const success = successOf(operation)
  const headers = {
    ...(credential ? { [credential.header]: credential.value } : {}),
    ...(body ? { 'Content-Type': body[0] } : {}),
  }
  const needsJson = success === 'json' || (body && !isUpload(operation))
  return [
    ...(needsJson ? ['import json'] : []),
    'import urllib.request',
    '',
    ...(body && !isUpload(operation) ? [`body = ${pythonOf(body[1].example)}`] : []),
    'request = urllib.request.Request(',
    `    "${baseUrl}${urlOf(request)}",`,
    `    method="${method}",`,
    ...(Object.keys(headers).length ? [`    headers=${pythonOf(headers, '    ')},`] : []),
    ...(isUpload(operation)
      ? [`    data=open("${UPLOAD}", "rb").read(),`]
      : body
        ? ['    data=json.dumps(body).encode(),']
        : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    ...PYTHON_READS[success],
  ].join('\n')
}
