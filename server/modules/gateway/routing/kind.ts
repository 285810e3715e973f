import type { Extractor } from './features.ts'
import { FORMS } from './features.ts'

/** What a request asks for; models differ by it. */
export const TASK_KINDS = ['code', 'math', 'reasoning', 'writing', 'knowledge', 'chat'] as const
export type TaskKind = (typeof TASK_KINDS)[number]

const CODE =
  /```|\b(?:code|python|java|javascript|typescript|sql|regex|docker\w*|api|endpoint|refactor\w*|debug\w*|compiler|def|class|const|function\s*\(|unit tests?|stack trace|traceback|repository|commit)\b|代码|函数|编程|コード|関数|코드|함수|код\b|функци|código|función|função|codice|schreibe eine funktion/i
const MATH =
  /\\(?:frac|sqrt|sum|int|boxed)|\$[^$\n]{1,80}[=^\\][^$\n]{0,80}\$|\b(?:equation|integral|derivative|polynomial|matrix|probability|triangle|modulo|calculate|solve for)\b|方程|积分|概率|確率|確率|уравнени|ecuación|gleichung|équation/i
const REASONING =
  /\b(?:prove|proof|derive|deduce|puzzle|logic\w*|step by step|trade-?offs?|why does|argue|contradiction|induction|game theory)\b|证明|推导|証明|証明|증명|докажи|demuestra|beweise|démontre|demonstre/i
const WRITING =
  /\b(?:write|draft|rewrite|rephrase|paraphrase|summari[sz]e|summary|translate|essay|story|poem|email|blog|letter|slogan|tagline|brainstorm)\b|翻译|总结|写一|翻訳|要約|번역|요약|перевед|напиши|traduce|resume|übersetze|zusammenfass|tradui|résum/i
const QUESTION = /[?？؟]|\b(?:what|who|when|where|which|define|explain|describe|compare)\b/i

/** The kind of task of a conversation: by the form of the text, then by what it names. */
export function kindOf(text: string, { form }: Pick<Extractor, 'form'>): TaskKind {
  const excerpt = text.length > 600 ? `${text.slice(0, 400)}\n${text.slice(-200)}` : text
  if (FORMS[form] === 'contest') return 'code'
  if (FORMS[form] === 'choice') return MATH.test(excerpt) ? 'math' : 'knowledge'
  if (REASONING.test(excerpt)) return 'reasoning'
  if (CODE.test(excerpt)) return 'code'
  if (FORMS[form] === 'quantity' || MATH.test(excerpt)) return 'math'
  if (WRITING.test(excerpt)) return 'writing'
  return QUESTION.test(excerpt) ? 'knowledge' : 'chat'
}
