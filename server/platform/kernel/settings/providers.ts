import { optional, url, WEB } from './kinds.ts'

const key = (provider: string) =>
  optional(`API key of ${provider}; without it its models are not selected.`, true)
const base = (fallback: string) => url(`Base address of its API; default ${fallback}.`, false, WEB)

/** The providers of the routing gateway. Without any key, sandbox mode answers with a simulator. */
export const providerSettings = {
  ALIBABA_API_KEY: key('Alibaba Cloud Model Studio'),
  ALIBABA_BASE_URL: base('https://dashscope-intl.aliyuncs.com/compatible-mode/v1'),
  ANTHROPIC_API_KEY: key('Anthropic'),
  ANTHROPIC_BASE_URL: base('https://api.anthropic.com/v1'),
  DEEPSEEK_API_KEY: key('DeepSeek'),
  DEEPSEEK_BASE_URL: base('https://api.deepseek.com'),
  GOOGLE_API_KEY: key('Google (Gemini)'),
  GOOGLE_BASE_URL: base('https://generativelanguage.googleapis.com/v1beta/openai'),
  MISTRAL_API_KEY: key('Mistral'),
  MISTRAL_BASE_URL: base('https://api.mistral.ai/v1'),
  MOONSHOT_API_KEY: key('Moonshot'),
  MOONSHOT_BASE_URL: base('https://api.moonshot.ai/v1'),
  OPENAI_API_KEY: key('OpenAI'),
  OPENAI_BASE_URL: base('https://api.openai.com/v1'),
  XAI_API_KEY: key('xAI'),
  XAI_BASE_URL: base('https://api.x.ai/v1'),
  ZAI_API_KEY: key('Z.ai'),
  ZAI_BASE_URL: base('https://api.z.ai/api/paas/v4'),
}
