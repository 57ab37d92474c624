export * from "./content-parameters.ts";
export * from "./content-versions.ts";
