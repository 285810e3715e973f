export {
  DisplayName,
  Email,
  NewPassword,
  SessionAnswer,
  ShownKey,
  TokenFields,
  UserRecord,
  userRecord,
  UserTypeName,
  Warnings,
} from '../schema.ts'
