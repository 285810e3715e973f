import { sets, rows, cv, apgr } from './xlib.ts'
import { setCharGrams } from '../../server/modules/gateway/routing/features.ts'
setCharGrams(false)
const s = sets.gsm8k
const X = rows(s.d.map((x: any) => x.prompt))
const g = s.strong.map((v: number, i: number) => v - s.weak[i]),
  f = s.weak.map((v: number) => 1 - v)
for (const [tn, y] of [
  ['gain', g],
  ['weakfail', f],
] as any)
  for (const [ld, ln, u] of [
    [10, 1, false],
    [30, 1, false],
    [10, 10, true],
    [10, 30, true],
    [30, 10, true],
    [100, 3, true],
  ] as any) {
    const a = [1, 2, 3, 4].map(seed => apgr(cv(X, y, ld, ln, u, 10, seed), s.weak, s.strong))
    console.log(tn, ld, ln, u, a.map(x => x.toFixed(3)).join(' '))
  }
