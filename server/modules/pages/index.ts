export { notFound as notFoundPage } from './not-found.ts'
