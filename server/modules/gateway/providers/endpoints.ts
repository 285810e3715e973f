import type { Config } from '#platform/kernel/config'
import type { ProviderId } from '../core/model.ts'

/** Where a provider is called, and with which key. */
export interface Endpoint {
  baseUrl: string
  /** Undefined where the provider is not configured. */
  key: string | undefined
}

const BASE_URLS: Readonly<Record<ProviderId, string>> = {
  alibaba: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  anthropic: 'https://api.anthropic.com/v1',
  deepseek: 'https://api.deepseek.com',
  google: 'https://generativelanguage.googleapis.com/v1beta/openai',
  mistral: 'https://api.mistral.ai/v1',
  moonshot: 'https://api.moonshot.ai/v1',
  openai: 'https://api.openai.com/v1',
  xai: 'https://api.x.ai/v1',
  zai: 'https://api.z.ai/api/paas/v4',
}

/** The settings may name another address, for instance a proxy or a local model; it may be private. */
export function endpointsOf(config: Config): Readonly<Record<ProviderId, Endpoint>> {
  const of = (provider: ProviderId, key: string | undefined, baseUrl: string | undefined): Endpoint => ({
    baseUrl: baseUrl ?? BASE_URLS[provider],
    key,
  })
  return {
    alibaba: of('alibaba', config.ALIBABA_API_KEY, config.ALIBABA_BASE_URL),
    anthropic: of('anthropic', config.ANTHROPIC_API_KEY, config.ANTHROPIC_BASE_URL),
    deepseek: of('deepseek', config.DEEPSEEK_API_KEY, config.DEEPSEEK_BASE_URL),
    google: of('google', config.GOOGLE_API_KEY, config.GOOGLE_BASE_URL),
    mistral: of('mistral', config.MISTRAL_API_KEY, config.MISTRAL_BASE_URL),
    moonshot: of('moonshot', config.MOONSHOT_API_KEY, config.MOONSHOT_BASE_URL),
    openai: of('openai', config.OPENAI_API_KEY, config.OPENAI_BASE_URL),
    xai: of('xai', config.XAI_API_KEY, config.XAI_BASE_URL),
    zai: of('zai', config.ZAI_API_KEY, config.ZAI_BASE_URL),
  }
}
