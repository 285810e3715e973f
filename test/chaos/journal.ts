/** What a run has seen: counts, times and findings. */
export class Journal {
  readonly counts = new Map<string, number>()
  readonly findings = new Map<string, number>()
  readonly recoveries: number[] = []
  /** How long no request was answered, at the longest. */
  longestSilenceMs = 0
  /** Points at which processes ended, by operation. */
  readonly failpoints = new Map<string, Set<number>>()
  /** Operations whose points were all reached once, with how many there were. */
  readonly complete = new Map<string, number>()
  readonly #faultTimes: number[] = []
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
    this.#faultTimes.push(Date.now())
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
