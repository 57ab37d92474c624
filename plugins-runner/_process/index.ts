export * from "./environment.ts";
export * from "./launcher.ts";
export type { ProcessEnd, ProcessOptions } from "./process-run.ts";
export * from "./shared-launcher.ts";
