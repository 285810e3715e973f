import type { ChatMessage } from '../core/chat.ts'
import type { Complexity } from '../core/routing.ts'
import type { TaskKind } from './kind.ts'
import { readConversation } from './text.ts'

const SIGNS: readonly (readonly [name: string, pattern: RegExp, weight: number])[] = [
  ['proof', /\b(?:prove|proof|derive|theorem)\b|证明|証明|докажи|demuestra|beweise|démontre/i, 3],
  [
    'design',
    /\b(?:design|architect|implement a (?:full|complete|distributed))\b|设计|設計|спроектируй|entwerfe|diseña|conçois/i,
    2.2,
  ],
  ['code', /```|\b(?:function|implement|code|debug|refactor|sql|api)\b/i, 1],
  ['explanation', /\b(?:explain|compare|how does|why|review)\b|解释|説明|объясни|erkläre|explica/i, 0.8],
  ['question', /^(?:what|who|when|where) (?:is|are|was|does)\b/i, -1],
]

/** Stage 1: how hard a conversation is, by a linear model of its text. */
export function complexityOf(messages: readonly ChatMessage[]): { complexity: Complexity; kind: TaskKind } {
  const { text, turns, toolResults } = readConversation(messages)
  const features = [
    { name: 'length', weight: Math.log2(1 + text.length / 100) * 0.5 },
    { name: 'turns', weight: Math.min(turns - 1, 5) * 0.1 },
    { name: 'toolResults', weight: Math.min(toolResults, 5) * 0.1 },
    ...SIGNS.flatMap(([name, pattern, weight]) => (pattern.test(text) ? [{ name, weight }] : [])),
  ].filter(({ weight }) => weight !== 0)
  const logit = features.reduce((sum, { weight }) => sum + weight, -1.5)
  features.sort((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
  return { complexity: { score: 1 / (1 + Math.exp(-logit)), features: features.slice(0, 5) }, kind: 'chat' }
}
