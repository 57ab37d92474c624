export * from "./content-parameters.ts";
export * from "./pack-revisions.ts";
