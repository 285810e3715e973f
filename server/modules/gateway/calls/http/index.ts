export { chatRoutes } from './chat-routes.ts'
export { installOpenaiErrors, openaiError } from './error-format.ts'
export { modelOperation, type ModelAnswer, type ModelRequest } from './operation.ts'
export { ChatBody } from './chat-schema.ts'
