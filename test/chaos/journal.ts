/** A fault this long before a silence may have caused it. */
const SHORTLY_MS = 3000

/** What a run has seen: counts, times and findings. */
export class Journal {
  readonly counts = new Map<string, number>()
  readonly findings = new Map<string, number>()
  readonly recoveries: number[] = []
  /** How long no request was answered while some waited, at the longest, and the faults of that time. */
  longestSilence: { ms: number; faults: string } = { ms: 0, faults: '' }
  /** Points at which processes ended, by operation. */
  readonly failpoints = new Map<string, Set<number>>()
  /** Operations whose points were all reached once, with how many there were. */
  readonly complete = new Map<string, number>()
  readonly #faultTimes: number[] = []
  readonly #faults: { kind: string; at: number }[] = []
  /** The slowest start of PostgreSQL. */
  longestStartMs = 0
  hasFailedStart = false
  readonly #say: (line: string) => void

  constructor(say: (line: string) => void) {
    this.#say = say
  }

  count(what: string, times = 1): void {
    this.counts.set(what, this.of(what) + times)
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0
  }

  fault(kind: string): void {
    this.count(`fault: ${kind}`)
    this.#faults.push({ kind, at: Date.now() })
    this.noteFault()
  }

  /** No request was answered between these times. */
  silence(since: number, until: number): void {
    if (until - since <= this.longestSilence.ms) return
    const faults = this.#faults.filter(({ at }) => at >= since - SHORTLY_MS && at <= until)
    const line = faults.map(({ kind, at }) => `${((at - since) / 1000).toFixed(1)} s ${kind}`).join(', ')
    this.longestSilence = { ms: until - since, faults: line }
  }

  /** A process has ended, or another fault began: responses of that time may not be charged. */
  noteFault(): void {
    this.#faultTimes.push(Date.now())
  }

  hadFaultAfter(at: number, withinMs: number): boolean {
    return this.#faultTimes.some(time => time >= at - withinMs && time <= at + withinMs)
  }

  /** Something that must not happen. The same text is reported once. */
  find(text: string): void {
    if (!this.findings.has(text)) this.#say(`FINDING ${text}`)
    this.findings.set(text, (this.findings.get(text) ?? 0) + 1)
  }

  say(line: string): void {
    this.#say(line)
  }
}
