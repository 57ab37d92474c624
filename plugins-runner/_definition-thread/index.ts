export { DefinitionThread } from "./definition-thread.ts";
