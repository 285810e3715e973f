import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads'
import type { HttpAnswer, HttpCall, PythonProgram, PythonResult } from './python-worker.ts'

/**
 * CPython of the package pyodide in a thread, so that Python samples run where no Python is installed. Its `urllib` sends
 * requests through this process.
 */
export class Python {
  readonly #worker: Worker
  readonly #port: MessagePort

  private constructor(worker: Worker, port: MessagePort, flag: Int32Array) {
    this.#worker = worker
    this.#port = port
    port.on('message', (call: HttpCall) => {
      void answer(call).then(result => {
        port.postMessage(result)
        Atomics.store(flag, 0, 1)
        Atomics.notify(flag, 0)
      })
    })
  }

  static async open(): Promise<Python> {
    const { port1, port2 } = new MessageChannel()
    const flag = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(new URL('python-worker.ts', import.meta.url), {
      workerData: { port: port2, flag },
      transferList: [port2],
    })
    await new Promise<void>((resolve, reject) => {
      worker.once('message', () => resolve())
      worker.once('error', reject)
    })
    return new Python(worker, port1, flag)
  }

  run(program: PythonProgram): Promise<PythonResult> {
    return new Promise(resolve => {
      this.#worker.once('message', resolve)
      this.#worker.postMessage(program)
    })
  }

  async close(): Promise<void> {
    this.#port.close()
    await this.#worker.terminate()
  }
}

async function answer({ method, url, headers, body }: HttpCall): Promise<HttpAnswer> {
  try {
    const response = await fetch(url, { method, headers, ...(body ? { body: new Uint8Array(body) } : {}) })
    const content = new Uint8Array(await response.arrayBuffer())
    return { status: response.status, headers: Object.fromEntries(response.headers), body: content }
  } catch (error) {
    return { status: 599, headers: {}, body: new TextEncoder().encode(String(error)) }
  }
}
