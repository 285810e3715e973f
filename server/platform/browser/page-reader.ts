import type { CDPSession, Page } from 'playwright-core'

/**
 * Reads a page in a JavaScript world of its own: the page cannot replace the functions that are used there, and answers
 * are short whatever it holds.
 */
export class PageReader {
  readonly #session: CDPSession

  private constructor(session: CDPSession) {
    this.#session = session
  }

  /** `onBytes` is called with the size of what the page loads, without compression. */
  static async open(page: Page, onBytes: (bytes: number) => void): Promise<PageReader> {
    const session = await page.context().newCDPSession(page)
    session.on('Network.dataReceived', ({ dataLength }) => { onBytes(dataLength) })
    await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 })
    return new PageReader(session)
  }

  /** At most 300 characters. */
  async title(): Promise<string> {
    return String(await this.#evaluate('document.title.slice(0, 300)'))
  }

  /** Whether the text that the page shows contains another one. How words are broken into lines does not matter. */
  async holds(expected: string): Promise<boolean> {
    const words = JSON.stringify(expected.replace(/\s+/g, ' ').trim())
    return await this.#evaluate(`(document.body?.innerText ?? '').replace(/\\s+/g, ' ').includes(${words})`) === true
  }

  async #evaluate(expression: string): Promise<unknown> {
    const { frameTree } = await this.#session.send('Page.getFrameTree')
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
    const { result } = await this.#session.send('Runtime.evaluate', { contextId: executionContextId, expression, returnByValue: true })
    return result.value
  }
}
