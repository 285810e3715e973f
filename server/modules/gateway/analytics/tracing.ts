import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Attributes,
  type Context,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { UsageRecord } from '../core/funds.ts'
import type { ProviderId } from '../core/model.ts'

export interface TracingSettings {
  /** Base address of the receiver; spans go to `/v1/traces` below it. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  serviceName: string
}

/** Names of the semantic conventions; a provider that they do not name has its own. */
const PROVIDER_NAMES: Partial<Record<ProviderId, string>> = {
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
  xai: 'x_ai',
}

/** `00-<trace>-<span>-<flags>` of W3C Trace Context; ids of zeros are invalid. */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/

/**
 * Spans of routed requests with the GenAI semantic conventions of OpenTelemetry. They have no prompt, no answer, no account
 * and no key. This file is imported only where a receiver is configured.
 */
export class Tracing {
  readonly #provider: TracerProvider
  readonly #tracer

  constructor({ endpoint, headers, serviceName }: TracingSettings) {
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
    this.#provider = new TracerProvider({
      resource: resourceFromAttributes({ 'service.name': serviceName }),
      spanProcessors: [
        new BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url, headers: { ...headers } }) }),
      ],
    })
    this.#tracer = this.#provider.getTracer('svc-gateway')
  }

  /** A span of a request that has just ended. A valid `traceparent` makes it part of the trace of the caller. */
  record(record: UsageRecord, { traceparent, endedAt }: { traceparent?: string; endedAt: Date }): void {
    const operation = record.surface === 'embeddings' ? 'embeddings' : 'chat'
    const startTime = new Date(endedAt.getTime() - record.latencyMs)
    const options = { kind: SpanKind.CLIENT, startTime, attributes: attributesOf(record, operation) }
    const span = this.#tracer.startSpan(
      `${operation} ${record.requestedModel}`,
      options,
      contextOf(traceparent),
    )
    const error = errorOf(record)
    if (error !== null) {
      span.setAttribute('error.type', error)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    span.end(endedAt)
  }

  /** Sends what waits. */
  async stop(): Promise<void> {
    await this.#provider.shutdown()
  }
}

function contextOf(traceparent = ''): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? []
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT
  // A trace that its caller does not sample has no span here either.
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function attributesOf(record: UsageRecord, operation: string): Attributes {
  const { tokens, finishReason, ttftMs } = record
  return {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': PROVIDER_NAMES[record.provider] ?? record.provider,
    'gen_ai.request.model': record.requestedModel,
    'gen_ai.request.stream': record.stream,
    'gen_ai.response.model': record.model,
    'gen_ai.response.id': record.id,
    ...(finishReason === null ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
    'gen_ai.usage.input_tokens': tokens.input,
    'gen_ai.usage.output_tokens': tokens.output,
    'gen_ai.usage.cache_read.input_tokens': tokens.cacheRead,
    'gen_ai.usage.cache_creation.input_tokens': tokens.cacheWrite,
    ...(ttftMs === null ? {} : { 'gen_ai.response.time_to_first_chunk': ttftMs / 1000 }),
    'svc.surface': record.surface,
    'svc.tier': record.tier,
    'svc.outcome': record.outcome,
    'svc.attempts': record.attempts.length,
  }
}

/** What failed at last; null for a request that was answered or that its caller ended. */
function errorOf({ outcome, attempts }: UsageRecord): string | null {
  if (outcome !== 'failed' && outcome !== 'partial') return null
  const result = attempts.at(-1)?.result
  return result === undefined || result === 'ok' ? outcome : result
}
