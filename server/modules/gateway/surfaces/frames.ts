import type { CallEvent } from '../core/call.ts'

/** One event with its name, as Anthropic's and OpenAI's newer APIs send it. */
export const namedFrame = (event: { type: string }): string =>
  `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`

/**
 * The frames of the events of a call. No generator, which would end the call only after its next event: a reader who leaves
 * ends it at once.
 */
export function framesOf(
  events: AsyncIterable<CallEvent>,
  toFrames: (event: CallEvent) => string,
): AsyncIterableIterator<string> {
  const source = events[Symbol.asyncIterator]()
  let isOver = false
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    async next() {
      // Some events have no counterpart in the other API.
      for (let frames = ''; !isOver;) {
        const { done, value } = await source.next()
        if (done) isOver = true
        else {
          isOver = value.type !== 'chunks'
          frames = toFrames(value)
          if (frames) return { done: false, value: frames }
        }
      }
      return { done: true, value: undefined }
    },
    async return() {
      isOver = true
      await source.return?.()
      return { done: true, value: undefined }
    },
  }
}
