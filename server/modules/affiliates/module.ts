import { COMMON } from '#platform/fault'
import type { Module } from '#platform/services'

export const affiliatesModule: Module = {
  name: 'affiliates',
  constraints: {
    affiliates_profile_one_per_account: { ...COMMON.CONFLICT, message: 'Already an affiliate' },
    affiliates_profile_code_taken: { ...COMMON.VALIDATION_FAILED, message: 'Referral code taken' },
  },
  routes() {},
}
