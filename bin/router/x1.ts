import { readFileSync } from 'node:fs'
import {
  Extractor,
  HASH_BITS,
  DENSE_NAMES,
  setCharGrams,
} from '../../server/modules/gateway/routing/features.ts'
const dir = '/work/shared/data/router/'
const load = (f: string) =>
  readFileSync(dir + f, 'utf8')
    .trim()
    .split('\n')
    .map(l => JSON.parse(l))
const ex = new Extractor()
const D = DENSE_NAMES.length,
  T = 1 << HASH_BITS
function rows(prompts: string[], opt: any = {}) {
  return prompts.map(p => {
    const f = ex.extract(p)
    return { form: f.form, dense: Float64Array.from(f.dense), slots: f.slots.slice(0, f.slotCount) }
  })
}
// ridge by CG: params = dense D + T ngram (scaled)
export function fit(
  X: any[],
  y: Float64Array,
  sw: Float64Array | null,
  lamD: number,
  lamN: number,
  useN: boolean,
  iters = 60,
) {
  const P = D + T
  const w = new Float64Array(P),
    r = new Float64Array(P)
  const n = X.length
  const A = (v: Float64Array, out: Float64Array) => {
    out.fill(0)
    for (let i = 0; i < n; i++) {
      const x = X[i]
      let s = 0
      for (let j = 0; j < D; j++) s += x.dense[j] * v[j]
      const sc = x.slots.length ? 1 / Math.sqrt(x.slots.length) : 0
      if (useN) {
        let t = 0
        for (const k of x.slots) t += v[D + k]
        s += t * sc
      }
      s *= sw ? sw[i] : 1
      for (let j = 0; j < D; j++) out[j] += s * x.dense[j]
      if (useN) {
        const q = s * sc
        for (const k of x.slots) out[D + k] += q
      }
    }
    for (let j = 1; j < D; j++) out[j] += lamD * v[j]
    for (let j = D; j < P; j++) out[j] += lamN * v[j]
  }
  for (let i = 0; i < n; i++) {
    const x = X[i]
    const s = y[i] * (sw ? sw[i] : 1)
    for (let j = 0; j < D; j++) r[j] += s * x.dense[j]
    if (useN) {
      const q = s / Math.sqrt(x.slots.length || 1)
      for (const k of x.slots) r[D + k] += q
    }
  }
  const p = r.slice(),
    Ap = new Float64Array(P)
  let rr = dot(r, r)
  const r0 = rr
  for (let it = 0; it < iters && rr > 1e-8 * r0; it++) {
    A(p, Ap)
    const a = rr / dot(p, Ap)
    for (let j = 0; j < P; j++) {
      w[j] += a * p[j]
      r[j] -= a * Ap[j]
    }
    const rn = dot(r, r)
    const b = rn / rr
    rr = rn
    for (let j = 0; j < P; j++) p[j] = r[j] + b * p[j]
  }
  return w
}
const dot = (a: any, b: any) => {
  let s = 0
  for (let i = 0; i < a.length; i++) s += a[i] * b[i]
  return s
}
export const predict = (w: Float64Array, x: any, useN = true) => {
  let s = 0
  for (let j = 0; j < D; j++) s += x.dense[j] * w[j]
  if (useN) {
    let t = 0
    for (const k of x.slots) t += w[D + k]
    s += t / Math.sqrt(x.slots.length || 1)
  }
  return s
}
export function apgr(score: number[], weak: number[], strong: number[]) {
  const n = score.length
  const idx = [...score.keys()].sort((a, b) => score[b] - score[a])
  const W = weak.reduce((a, b) => a + b, 0) / n,
    S = strong.reduce((a, b) => a + b, 0) / n
  let acc = W,
    area = 0
  for (let i = 0; i < n; i++) {
    const prev = acc
    acc += (strong[idx[i]] - weak[idx[i]]) / n
    area += ((prev + acc) / 2 - W) / (S - W) / n
  }
  return area
}
function rng(seed: number) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
export function folds(n: number, k: number, seed = 1) {
  const r = rng(seed)
  const idx = [...Array(n).keys()]
  for (let i = n - 1; i > 0; i--) {
    const j = Math.floor(r() * (i + 1))
    ;[idx[i], idx[j]] = [idx[j], idx[i]]
  }
  const f = new Array(n)
  idx.forEach((x, i) => (f[x] = i % k))
  return f as number[]
}
function cv(X: any[], y: number[], lamD: number, lamN: number, useN: boolean, k = 5) {
  const f = folds(X.length, k)
  const out = new Array(X.length)
  for (let q = 0; q < k; q++) {
    const tr = [...X.keys()].filter(i => f[i] !== q)
    const w = fit(
      tr.map(i => X[i]),
      Float64Array.from(tr.map(i => y[i])),
      null,
      lamD,
      lamN,
      useN,
    )
    for (let i = 0; i < X.length; i++) if (f[i] === q) out[i] = predict(w, X[i], useN)
  }
  return out as number[]
}
const sets: any = {}
for (const name of ['gsm8k', 'mmlu']) {
  const d = load(name + '.jsonl')
  sets[name] = { d, weak: d.map((x: any) => x.weak), strong: d.map((x: any) => x.strong) }
}
{
  const d = load('ulab-nine-models.jsonl')
  sets.ulab = {
    d,
    weak: d.map((x: any) => x.scores['mistral-7b-instruct-v0.3']),
    strong: d.map((x: any) => x.scores['llama-3.1-nemotron-51b-instruct']),
  }
}
const which = process.argv[2]?.split(',') ?? ['gsm8k', 'mmlu', 'ulab']
for (const cg of [false, true]) {
  setCharGrams(cg)
  for (const name of which) {
    const s = sets[name]
    const X = rows(s.d.map((x: any) => x.prompt))
    const y = s.strong.map((v: number, i: number) => v - s.weak[i])
    console.log(
      name,
      'len',
      apgr(
        s.d.map((x: any) => x.prompt.length),
        s.weak,
        s.strong,
      ).toFixed(3),
      'forms',
      [0, 1, 2, 3].map(f => X.filter(x => x.form === f).length).join(),
      'slots',
      (X.reduce((a, x) => a + x.slots.length, 0) / X.length).toFixed(0),
    )
    for (const [ld, ln, u] of [
      [1, 1, false],
      [10, 1, false],
      [1, 1, true],
      [1, 3, true],
      [3, 10, true],
      [10, 3, true],
    ] as any) {
      const t = Date.now()
      const p = cv(X, y, ld, ln, u)
      console.log(name, 'cg', cg, ld, ln, u, apgr(p, s.weak, s.strong).toFixed(4), Date.now() - t)
    }
  }
}
