import { checkLedger } from '#ledger'
import { DAY, MINUTE, SECOND } from '#platform/kernel/clock'
import { Loop } from '#platform/kernel/background/loop'
import type { Services } from '#platform/kernel/services'
import { lastResult, runIfDue } from '#platform/kernel/background/task'
import { BACKGROUND_HELP, backgroundFigures } from './background-figures.ts'
import { verifyEvidence } from './evidence.ts'
import type { RunningModule } from './modules.ts'

/** The values of gauges, by name. */
type Figures = Record<string, number>

const CHECK = 'ledger check'
const VERIFY = 'audit verify'

const HELP = {
  svc_ledger_check_timestamp_seconds: 'When the books were last checked',
  svc_ledger_check_ok: '1 when that check found no findings',
  svc_ledger_findings: 'Findings that it found',
  svc_audit_verify_timestamp_seconds: 'When the chains of ledger and audit log were last verified',
  svc_audit_verify_ok: '1 when both chains verified',
  svc_audit_findings: 'Findings that the verification found',
  ...BACKGROUND_HELP,
}

/** Checks the books every ten minutes and verifies the chains once a day, on one instance for all; looks at waiting work every minute. */
export class LedgerMonitor {
  /** The help text of each gauge that a check may set. */
  readonly help: Readonly<Record<string, string>>
  readonly #services: Services
  readonly #modules: readonly RunningModule[]
  readonly #loops: readonly Loop[]
  #books: Figures = {}
  #evidence: Figures = {}
  #background: Figures = {}

  /** Looks every `everyMs` for what is due. */
  constructor(services: Services, modules: readonly RunningModule[], everyMs = MINUTE) {
    this.#services = services
    this.#modules = modules
    this.help = Object.assign({}, HELP, ...modules.map(({ instance }) => instance.metrics?.help))
    this.#loops = [
      new Loop('checks', everyMs, services.log, () => this.#runBooks()),
      // Apart: long chains take longer than the books may stay unchecked.
      new Loop('checks of the chains', everyMs, services.log, () => this.#runEvidence()),
    ]
  }

  /** What the last checks found, on whichever instance they ran; empty before the first. */
  get figures(): Figures {
    return { ...this.#books, ...this.#evidence, ...this.#background }
  }

  start(): void {
    for (const loop of this.#loops) loop.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.#loops.map(loop => loop.stop()))
  }

  /** Runs what is due, and reads what other instances found. */
  async runChecks(): Promise<void> {
    await this.#runBooks()
    await this.#runEvidence()
  }

  async #runBooks(): Promise<void> {
    const { db, log } = this.#services
    this.#background = await backgroundFigures(this.#services)
    await runIfDue(db, log, { name: CHECK, everyMs: 10 * MINUTE, run: () => this.checkBooks() })
    this.#books = (await lastResult<Figures>(db, CHECK)) ?? this.#books
  }

  async #runEvidence(): Promise<void> {
    const { db, log } = this.#services
    await runIfDue(db, log, { name: VERIFY, everyMs: DAY, run: () => this.checkEvidence() })
    this.#evidence = (await lastResult<Figures>(db, VERIFY)) ?? this.#evidence
  }

  /** One check of the books, now: findings go to the log, all figures to the metrics. */
  async checkBooks(): Promise<Figures> {
    const { db, log } = this.#services
    const rules = this.#modules.flatMap(({ definition }) => definition.ledgerChecks ?? [])
    const {
      ok,
      findings,
      figures: { journals, entries, accounts: balances },
    } = await checkLedger(db, rules)
    if (ok) log.info({ journals, entries, accounts: balances }, 'ledger check: no findings')
    else
      log.error({ findings, journals, entries, accounts: balances }, 'ledger check: FINDINGS in the ledger')
    this.#books = {
      svc_ledger_check_timestamp_seconds: this.#seconds(),
      svc_ledger_check_ok: ok ? 1 : 0,
      svc_ledger_findings: findings.length,
      ...(await this.#moduleFigures()),
    }
    return this.#books
  }

  /** One verification of both chains, now. */
  async checkEvidence(): Promise<Figures> {
    const { log } = this.#services
    const { ok, findings, ledger, audit, anchored } = await verifyEvidence(this.#services)
    const heads = {
      ledger: { blocks: ledger.blocks, head: ledger.head },
      audit: { blocks: audit.blocks, head: audit.head },
      anchored,
    }
    if (ok) log.info(heads, 'audit verify: both chains verify')
    else
      log.error(
        { findings: findings.slice(0, 50), count: findings.length, ...heads },
        'audit verify: FINDINGS in the chains',
      )
    this.#evidence = {
      svc_audit_verify_timestamp_seconds: this.#seconds(),
      svc_audit_verify_ok: ok ? 1 : 0,
      svc_audit_findings: findings.length,
    }
    return this.#evidence
  }

  async #moduleFigures(): Promise<Figures> {
    const { db, clock } = this.#services
    const figures: Figures = {}
    for (const { instance } of this.#modules)
      Object.assign(figures, await instance.metrics?.read(db, clock.now()))
    return figures
  }

  #seconds(): number {
    return Math.floor(this.#services.clock.real().getTime() / SECOND)
  }
}
