import { errorTable } from '#platform/kernel/errors'

export const AFFILIATES = errorTable({
  AFFILIATE_NOT_FOUND: [404, 'Affiliate not found'],
  COMMISSION_NOT_FOUND: [404, 'Commission not found'],
  NO_COMMISSION_AVAILABLE: [409, 'No commission available'],
  AFFILIATE_NOT_ACTIVE: [409, 'Affiliate not active'],
  REFERRAL_CODE_TAKEN: [400, 'Referral code taken'],
  REFERRAL_CODE_RESERVED: [400, 'Referral code reserved'],
  DESTINATION_NOT_ALLOWED: [400, 'Destination not allowed'],
})
