export * from "./environment-parameter.ts";
export * from "./no-nul.ts";
export * from "./output-result.ts";
export * from "./python-text.ts";
export * from "./script-arguments.ts";
export * from "./secret-arguments.ts";
export * from "./signal-error.ts";
export * from "./sudo-refusal.ts";
