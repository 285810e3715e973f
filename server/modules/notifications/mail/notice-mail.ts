import type { JobDefinition } from '#platform/kernel/background/jobs'
import type { Tx } from '#platform/kernel/db'
import type { Services } from '#platform/kernel/services'
import { kindOf } from '../events/kinds.ts'
import { NOT_APPROVED, type Notice, type NoticeSide } from '../events/notice.ts'
import type { EventType } from '../events/types.ts'
import { mailParties, type EventMail, type PartyMail } from './person-mail.ts'

const JOB = 'notifications.notice-mails'
/** Of the version before, with one notice each. */
const SINGLE_JOB = 'notifications.notice-mail'

interface NoticeMail {
  to: NoticeSide['role']
  subject: string
  lead(about: Notice['data'], isUnsettled?: boolean): string
}

const moneyOf = ({ currency, test, ...about }: Notice['data'], amount = about.price): string =>
  `${String(amount)} ${String(currency)}${test ? ' (test credit)' : ''}`

const isSome = (amount: Notice['data'][string] | undefined): boolean => Number(amount ?? 0) > 0

const FROZEN = 'Its escrow is frozen: what is held for it stays there until that ends.'

/** The mails about runs, requests and offers. An accepted offer begins a deal, which has mails of its own. */
const NOTICE_MAILS: Partial<Record<EventType, NoticeMail>> = {
  'run.awaiting_approval': {
    to: 'buyer',
    subject: 'A run waits for your approval',
    lead: about =>
      `Your agent ordered a run for ${moneyOf(about)}, which needs your approval. Approve or reject it within 72 hours; after that the money comes back.`,
  },
  'run.created': {
    to: 'seller',
    subject: 'A run of your agent was ordered',
    lead: about => `A run of your agent was ordered for ${moneyOf(about)}.`,
  },
  'run.succeeded': {
    to: 'buyer',
    subject: 'A run succeeded',
    lead: (about, isUnsettled) =>
      `The run succeeded. ${isUnsettled ? FROZEN : `The agent is paid ${moneyOf(about)}.`}`,
  },
  'run.failed': {
    to: 'buyer',
    subject: 'A run failed',
    lead: (_, isUnsettled) =>
      `The run failed, or its result did not come in time. ${isUnsettled ? FROZEN : 'What was held for it is back with you.'}`,
  },
  'run.canceled': {
    to: 'seller',
    subject: 'A run of your agent was canceled',
    lead: about =>
      `The run of your agent for ${moneyOf(about)} was canceled: its result is no longer needed.`,
  },
  'run.settled': {
    to: 'buyer',
    subject: 'The money of a run has moved',
    lead: about =>
      [
        'What was held for the run is no longer in escrow.',
        ...(isSome(about.released) ? [`The agent is paid ${moneyOf(about, about.released)}.`] : []),
        ...(isSome(about.refunded) ? [`${moneyOf(about, about.refunded)} is back with you.`] : []),
      ].join(' '),
  },
  'a2a.requested': {
    to: 'responder',
    subject: 'An agent wants to work with yours',
    lead: () => 'An agent asks yours to work together. Accept or reject the request within 72 hours.',
  },
  'a2a.accepted': {
    to: 'requester',
    subject: 'A request was accepted',
    lead: () => 'The other agent accepted the request of your agent to work together.',
  },
  'a2a.rejected': {
    to: 'requester',
    subject: 'A request was rejected',
    lead: () => 'The other agent rejected the request of your agent to work together.',
  },
  'offer.created': {
    to: 'buyer',
    subject: 'An agent offers to meet your need',
    lead: about =>
      `An agent offers to meet your need for ${moneyOf(about)}. Accept an offer to begin a deal.`,
  },
}

/** Instead of that of `run.failed`: no agent began such a run. */
const UNAPPROVED_RUN_MAIL: NoticeMail = {
  to: 'buyer',
  subject: 'A run was not approved in time',
  lead: (about, isUnsettled) =>
    `Nobody approved the run for ${moneyOf(about)} within 72 hours. Nothing was paid${isUnsettled ? `. ${FROZEN}` : ', and what was held for it is back with you.'}`,
}

const mailOf = ({ type, data }: Notice): NoticeMail | undefined =>
  data.reason === NOT_APPROVED ? UNAPPROVED_RUN_MAIL : NOTICE_MAILS[type]

/** Where the mail leads, and the call that shows the same. */
function placeOf({ type, subjectId, data, sides }: Notice): Pick<EventMail, 'link' | 'call'> {
  if (type.startsWith('run.')) {
    const ofSeller = NOTICE_MAILS[type]?.to === 'seller'
    const agentId = String(data.agentId)
    return {
      link: {
        text: 'Open the run',
        path: `/app/selling/${ofSeller ? `agents/${agentId}/runs` : `runs/${subjectId}`}`,
      },
      call: ofSeller ? `GET /agents/${agentId}/executions` : `GET /agents/my-runs/${subjectId}`,
    }
  }
  if (type.startsWith('a2a.')) {
    const agentId = sides.find(
      ({ role }) => role === (type === 'a2a.requested' ? 'responder' : 'requester'),
    )?.agentId
    return {
      link: { text: 'Open the agent', path: `/app/selling/agents/${String(agentId)}` },
      call: `GET /agents/a2a/${String(agentId)}`,
    }
  }
  const needId = String(data.needId)
  return {
    link: { text: 'Open the need', path: `/app/needs/${needId}` },
    call: `GET /market/needs/${needId}/offers`,
  }
}

/** Requests the mails about notices, with their events in one transaction. */
export async function followNotices(
  tx: Tx,
  { jobs }: Pick<Services, 'jobs'>,
  notices: readonly Notice[],
): Promise<void> {
  const mailed = notices.filter(({ type }) => NOTICE_MAILS[type])
  if (mailed.length) await jobs.enqueue(tx, JOB, { notices: mailed })
}

/** Run twice after a crash they may send a mail twice. */
export const noticeMailJobs = (services: Services): JobDefinition[] => [
  { name: JOB, handle: ({ notices }) => mailParties(services, (notices as Notice[]).flatMap(mailsAbout)) },
  { name: SINGLE_JOB, handle: ({ notice }) => mailParties(services, mailsAbout(notice as Notice)) },
]

function mailsAbout(notice: Notice): PartyMail[] {
  const mail = mailOf(notice)
  const party = notice.sides.find(({ role }) => role === mail?.to)
  if (!mail || !party) return []
  const { subject, lead } = mail
  return [
    {
      party,
      mail: {
        kind: kindOf(notice.type),
        subject,
        paragraphs: [lead(notice.data, notice.isUnsettled)],
        ...placeOf(notice),
      },
    },
  ]
}
