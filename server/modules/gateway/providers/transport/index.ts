export { HttpTransport, type HttpResponse } from './http.ts'
export { exceedsContext, failureInBody, failureOf } from './refusal.ts'
export { SseReader, type SseEvent } from './sse.ts'
