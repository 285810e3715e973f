import type { Tier } from '../core/model.ts'
import { TASK_KINDS, type TaskKind } from './kind.ts'

/** How well a model does a kind of task, from 0 to 1. */
export type QualityRow = Readonly<Record<TaskKind, number>>

const row = (...values: readonly number[]): QualityRow => {
  const [code = 0, math = 0, reasoning = 0, writing = 0, knowledge = 0, chat = 0] = values
  return { code, math, reasoning, writing, knowledge, chat }
}

/**
 * Estimates before there are outcomes: the order of the vendors' own product lines and their stated strengths, in steps of 0.01.
 * They are no measurements. Outcomes that callers report shift them (`qualityBonus`).
 */
const PRIORS: Readonly<Record<string, QualityRow>> = {
  // code, math, reasoning, writing, knowledge, chat
  'qwen3.7-flash': row(0.66, 0.7, 0.64, 0.66, 0.6, 0.76),
  'gpt-6-luna': row(0.72, 0.74, 0.7, 0.72, 0.7, 0.82),
  'claude-haiku-5-5': row(0.76, 0.71, 0.7, 0.77, 0.7, 0.84),
  'deepseek-flash': row(0.75, 0.76, 0.72, 0.68, 0.68, 0.78),
  'mistral-small-2603': row(0.64, 0.64, 0.62, 0.7, 0.64, 0.78),
  'kimi-k2.6': row(0.78, 0.77, 0.74, 0.77, 0.73, 0.8),
  'gpt-6.1-terra': row(0.84, 0.85, 0.83, 0.82, 0.84, 0.86),
  'glm-5': row(0.82, 0.8, 0.78, 0.77, 0.76, 0.81),
  'grok-4.3': row(0.79, 0.84, 0.82, 0.77, 0.82, 0.82),
  'claude-sonnet-5-5': row(0.89, 0.84, 0.84, 0.88, 0.83, 0.88),
  'gemini-3.1-pro-preview': row(0.84, 0.88, 0.86, 0.82, 0.88, 0.84),
  'kimi-k3': row(0.86, 0.86, 0.84, 0.84, 0.81, 0.83),
  'claude-opus-5': row(0.93, 0.89, 0.9, 0.92, 0.88, 0.9),
  'gpt-6-astra': row(0.92, 0.92, 0.92, 0.88, 0.91, 0.89),
  'gpt-5.2-pro': row(0.9, 0.93, 0.93, 0.86, 0.9, 0.86),
}

/** For a model that the table does not name: the middle of its tier. */
const BY_TIER: Readonly<Record<Tier, number>> = { economy: 0.68, mid: 0.8, premium: 0.88 }

export const qualityPrior = (model: { id: string; tier: Tier }, kind: TaskKind): number =>
  PRIORS[model.id]?.[kind] ?? BY_TIER[model.tier]

/** The same over all kinds, for displays. */
export const meanQuality = (model: { id: string; tier: Tier }): number =>
  TASK_KINDS.reduce((sum, kind) => sum + qualityPrior(model, kind), 0) / TASK_KINDS.length
