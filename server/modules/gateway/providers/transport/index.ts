export { HttpTransport, type HttpResponse } from './http.ts'
export { failureInBody, failureOf } from './refusal.ts'
export { SseReader, type SseEvent } from './sse.ts'
