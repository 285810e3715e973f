import type { CDPSession, Page } from 'playwright-core'

// Runs in the page. A character without a glyph is drawn like a noncharacter, which has none in any font, or not at all.
const findMissingGlyphs = `() => {
  const text = (document.body?.innerText ?? '').slice(0, 100000)
  const characters = [...new Set(text)].filter(each => each > '~' && /[\\p{L}\\p{N}\\p{S}\\p{P}]/u.test(each)).slice(0, 2000)
  if (characters.length === 0) return ''
  const context = new OffscreenCanvas(24, 24).getContext('2d', { willReadFrequently: true })
  context.font = '16px ' + getComputedStyle(document.body).fontFamily
  const draw = character => {
    context.clearRect(0, 0, 24, 24)
    context.fillText(character, 2, 18)
    return new Uint32Array(context.getImageData(0, 0, 24, 24).data.buffer).join()
  }
  const missing = new Set(['\\u{10ffff}', ' '].map(draw))
  return characters.filter(each => missing.has(draw(each))).slice(0, 50).join('')
}`

/**
 * Reads a page in an isolated JavaScript context: the page cannot replace the functions that are used there, and answers
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
    session.on('Network.dataReceived', ({ dataLength }) => {
      onBytes(dataLength)
    })
    await session.send('Network.enable', { maxTotalBufferSize: 0, maxResourceBufferSize: 0 })
    return new PageReader(session)
  }

  /** At most 300 characters. */
  async title(): Promise<string> {
    return this.#text('document.title.slice(0, 300)')
  }

  /** Whether the text that the page shows contains another one. How words are broken into lines does not matter. */
  async holds(expected: string): Promise<boolean> {
    const words = JSON.stringify(expected.replace(/\s+/g, ' ').trim())
    return (
      (await this.#evaluate(`(document.body?.innerText ?? '').replace(/\\s+/g, ' ').includes(${words})`)) ===
      true
    )
  }

  /** Whether the page has an element that a CSS selector selects; null if the selector is not valid. */
  async selects(selector: string): Promise<boolean | null> {
    const found = await this.#evaluate(
      `(() => { try { return document.querySelector(${JSON.stringify(selector)}) !== null } catch { return 'invalid' } })()`,
    )
    return found === 'invalid' ? null : found === true
  }

  /** Visible characters of the page that no font can draw, 50 at most. */
  async missingGlyphs(): Promise<string> {
    return this.#text(`(${findMissingGlyphs})()`)
  }

  async #text(expression: string): Promise<string> {
    const value = await this.#evaluate(expression)
    return typeof value === 'string' ? value : ''
  }

  async #evaluate(expression: string): Promise<unknown> {
    const { frameTree } = await this.#session.send('Page.getFrameTree')
    const { executionContextId } = await this.#session.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
    })
    const { result } = await this.#session.send('Runtime.evaluate', {
      contextId: executionContextId,
      expression,
      returnByValue: true,
    })
    return result.value
  }
}
