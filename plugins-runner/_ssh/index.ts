export * from "./remote-parameter-schema.ts";
export * from "./remote-runs.ts";
export * from "./staging.ts";
