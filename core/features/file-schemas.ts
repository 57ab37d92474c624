import type { FileSchema } from "../language/file-schema.ts";
import { packFileSchemas } from "./packs/file-schemas.ts";
import { policyFileSchemas } from "./policies/file-schemas.ts";
import { ruleFileSchemas } from "./rules/file-schemas.ts";
import { sensorFileSchemas } from "./sensors/file-schemas.ts";
import { triggerFileSchemas } from "./triggers/file-schemas.ts";

/** JSON schemas for the files of packs of the features that every service has, used by editors. */
export const coreFileSchemas: readonly FileSchema[] = [
	...packFileSchemas,
	...ruleFileSchemas,
	...policyFileSchemas,
	...sensorFileSchemas,
	...triggerFileSchemas,
];
