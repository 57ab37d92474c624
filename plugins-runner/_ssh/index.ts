export * from "./fleet.ts";
export * from "./remote-parameters.ts";
export * from "./staging.ts";
