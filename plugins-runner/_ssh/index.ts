export * from "./fleet.ts";
export * from "./remote-parameter-schema.ts";
export * from "./staging.ts";
