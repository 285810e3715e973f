export { chatRoutes } from './chat-routes.ts'
export { answerOfUnknown, installOpenaiErrors, openaiError } from './error-format.ts'
export { modelOperation, type ModelAnswer, type ModelRequest } from './operation.ts'
export { ChatBody } from './chat-schema.ts'
