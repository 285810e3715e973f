import { sendMail } from '#platform/adapters/mail/mail'
import { letter } from '#platform/adapters/mail/letter'
import { newId } from '#platform/kernel/id'
import type { Services } from '#platform/kernel/services'
import { railReconciliation, type ReconciliationOrder } from './port.ts'
import * as statements from './sql.ts'
import type { DifferenceRow, Run, Trigger } from './sql.ts'

/** More are in the log and in the run itself. */
const SHOWN_IN_MAIL = 20

export interface Report {
  run: Run
  differences: readonly DifferenceRow[]
}

/**
 * Compares the books with the lists of all processors and chains, and stores the report. Differences that need an operator
 * go to the log and, by mail, to ADMIN_EMAIL. Throws without a report if a list cannot be read.
 */
export async function reconcile(
  services: Pick<Services, 'db' | 'clock' | 'log' | 'jobs' | 'secrets' | 'config' | 'publicUrl'>,
  order: ReconciliationOrder & { trigger: Trigger },
): Promise<Report> {
  const { db, clock, log } = services
  const reports = await railReconciliation.call(db, order)
  const runId = newId()
  const differences = reports.flatMap(({ rail, differences }) =>
    differences.map(each => ({ ...each, rail, id: newId(), runId })),
  )
  const run: Run = {
    id: runId,
    fromAt: order.from,
    toAt: order.to,
    trigger: order.trigger,
    compared: Object.fromEntries(reports.map(({ rail, compared }) => [rail, compared])),
    open: differences.filter(({ isOpen }) => isOpen).length,
    finishedAt: clock.now(),
  }
  const report = { run, differences }
  await db.transaction(async tx => {
    await tx.run(statements.insertRun(run))
    for (const difference of differences) await tx.run(statements.insertDifference(difference))
    const to = services.config.ADMIN_EMAIL
    if (run.open && to && order.trigger === 'DAILY')
      await sendMail(services, tx, 'operator', alertMail(report, { to, publicUrl: services.publicUrl }))
  })
  const about = { run: runId, compared: run.compared, differences: differences.length }
  if (run.open) log.error({ ...about, open: lines(report) }, 'reconciliation: DIFFERENCES need an operator')
  else log.info(about, 'reconciliation: nothing for an operator')
  return report
}

/** One line for each difference that needs an operator. */
const lines = ({ differences }: Report): string[] => differences.filter(({ isOpen }) => isOpen).map(lineOf)

/** A difference in one line. */
export const lineOf = ({
  rail,
  kind,
  subject,
  externalId,
  ourId,
  expected,
  actual,
  note,
}: DifferenceRow): string =>
  `${rail} ${kind} ${subject} ${[externalId, ourId].filter(Boolean).join(' / ')}: ` +
  `${expected ?? 'nothing'} outside, ${actual ?? 'nothing'} here. ${note}`

const alertMail = (report: Report, { to, publicUrl }: { to: string; publicUrl: string }) => {
  const { run } = report
  return letter({
    to,
    subject: 'The reconciliation found differences',
    paragraphs: [
      `From ${run.fromAt.toISOString()} until ${run.toAt.toISOString()} the books and the processors differ in ${run.open} points that need you.`,
      ...lines(report).slice(0, SHOWN_IN_MAIL),
    ],
    link: { text: 'Open the reconciliation', url: `${publicUrl}/app/admin/reconciliation` },
    details: [`For programs: GET ${publicUrl}/admin/reconciliation/${run.id}`],
  })
}
