// Runs Python programs one after another. Started by python.ts.
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads'
import { loadPyodide } from 'pyodide'
import type { PyProxy } from 'pyodide/ffi'

export interface PythonProgram {
  code: string
  /** Environment variables. */
  variables?: Record<string, string>
  files?: Record<string, string>
}

export interface PythonResult {
  output: string
  /** The traceback, or null if the program ended well. */
  error: string | null
}

export interface HttpCall {
  method: string
  url: string
  headers: Record<string, string>
  body: Uint8Array | null
}

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

const { port, flag } = workerData as { port: MessagePort; flag: Int32Array }

/** Waits for the answer, because Python's `urlopen` does. */
function exchange(call: HttpCall): HttpAnswer {
  Atomics.store(flag, 0, 0)
  port.postMessage(call)
  Atomics.wait(flag, 0, 0)
  return (receiveMessageOnPort(port) as { message: HttpAnswer }).message
}

/** Everything of urllib is Python's own but the connection. */
const CONNECT = `
import email.message, io, json, urllib.request, urllib.response
from pyodide.ffi import to_js

class Connection(urllib.request.HTTPHandler):
    def http_open(self, request):
        body = to_js(request.data) if request.data is not None else None
        headers = json.dumps(dict(request.header_items()))
        status, names, content = exchange(request.get_method(), request.full_url, headers, body)
        message = email.message.Message()
        for name, value in json.loads(names).items():
            message[name] = value
        response = urllib.response.addinfourl(io.BytesIO(content.to_bytes()), message, request.full_url, status)
        response.msg = str(status)
        return response

urllib.request.install_opener(urllib.request.build_opener(Connection))
`

const lines: string[] = []
const pyodide = await loadPyodide({ stdout: line => lines.push(line), stderr: line => lines.push(line) })
pyodide.globals.set('exchange', (method: string, url: string, headers: string, body: Uint8Array | null) => {
  const answer = exchange({ method, url, headers: JSON.parse(headers) as Record<string, string>, body })
  return [answer.status, JSON.stringify(answer.headers), answer.body]
})
await pyodide.runPythonAsync(CONNECT)

parentPort?.on('message', ({ code, variables = {}, files = {} }: PythonProgram) => {
  lines.length = 0
  for (const [name, text] of Object.entries(files)) pyodide.FS.writeFile(name, text)
  const globals = pyodide.toPy({ variables }) as PyProxy
  let error: string | null = null
  try {
    pyodide.runPython('import os; os.environ.update(variables)', { globals })
    pyodide.runPython(code, { globals })
  } catch (problem) {
    error = String(problem)
  }
  parentPort?.postMessage({ output: lines.join('\n'), error } satisfies PythonResult)
})
parentPort?.postMessage('ready')
