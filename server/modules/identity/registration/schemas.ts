export {
  DisplayName,
  Email,
  NewPassword,
  SessionAnswer,
  TokenFields,
  UserRecord,
  userRecord,
  UserTypeName,
  Warnings,
} from '../schema.ts'
