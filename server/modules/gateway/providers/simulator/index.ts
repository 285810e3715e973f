export { simulateCompletion, simulateStream } from './chat.ts'
export { simulateEmbeddings } from './embeddings.ts'
