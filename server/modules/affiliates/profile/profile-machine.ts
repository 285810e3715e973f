import type { Machine } from '#platform/kernel/machine'

export const PROFILE_STATES = ['PENDING', 'ACTIVE', 'REJECTED', 'SUSPENDED'] as const
export type ProfileStatus = (typeof PROFILE_STATES)[number]
export type ProfileEvent = 'approve' | 'reject' | 'apply' | 'suspend' | 'reactivate'
export type ProfileActor = 'applicant' | 'admin'

/** A profile has no end: an application waits for an admin, and each decision can be changed. */
export const profileMachine: Machine<ProfileStatus, ProfileEvent, ProfileActor> = {
  name: 'affiliate',
  table: 'affiliates_profile',
  states: PROFILE_STATES,
  terminal: [],
  timers: [],
  edges: [
    { from: ['PENDING'], event: 'approve', by: ['admin'], to: 'ACTIVE' },
    { from: ['PENDING'], event: 'reject', by: ['admin'], to: 'REJECTED' },
    { from: ['REJECTED'], event: 'apply', by: ['applicant'], to: 'PENDING' },
    { from: ['ACTIVE'], event: 'suspend', by: ['admin'], to: 'SUSPENDED' },
    { from: ['SUSPENDED'], event: 'reactivate', by: ['admin'], to: 'ACTIVE' },
  ],
}
