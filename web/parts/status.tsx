import { Badge, type MantineColor } from '@mantine/core'
import { nameOf } from '../texts/text.ts'

const COLORS: Readonly<Record<string, MantineColor>> = {
  ACTIVE: 'teal',
  ACCEPTED: 'teal',
  APPROVED: 'teal',
  AVAILABLE: 'teal',
  COMPLETED: 'teal',
  PAID: 'teal',
  PASSED: 'teal',
  RELEASED: 'teal',
  VERIFIED: 'teal',
  BALANCED: 'teal',
  DONE: 'teal',
  MATCHES: 'teal',
  OK: 'teal',
  ON_TIME: 'teal',
  WON: 'teal',
  CANCELLED: 'gray',
  CLOSED: 'gray',
  DRAFT: 'gray',
  EXPIRED: 'gray',
  REFUNDED: 'gray',
  REVOKED: 'gray',
  UNCONFIGURED: 'gray',
  COUNTERED: 'yellow',
  PENDING: 'yellow',
  PENDING_FUNDING: 'yellow',
  PENDING_REVIEW: 'yellow',
  REVIEW: 'yellow',
  NEEDS_RESPONSE: 'orange',
  NOT_POSTED: 'yellow',
  OPEN: 'yellow',
  OPEN_DIFFERENCES: 'orange',
  UNDER_REVIEW: 'yellow',
  DEGRADED: 'orange',
  DISPUTED: 'orange',
  FROZEN: 'orange',
  FRAUD_HOLD: 'red',
  FAILED: 'red',
  REJECTED: 'red',
  SUSPENDED: 'red',
  LATE: 'red',
  LOST: 'red',
  NOT_BALANCED: 'red',
  UNAVAILABLE: 'red',
}

interface StatusProps {
  value: string
  /** Where the section has a better word for it. */
  label?: string
}

/** A state of the API, in words; the color repeats what the word says. */
export function Status({ value, label = nameOf(value) }: StatusProps) {
  return (
    <Badge variant="light" color={COLORS[value] ?? 'blue'} autoContrast tt="none" miw="max-content">
      {label}
    </Badge>
  )
}
