import type { FileSchema } from "../language/file-schema.ts";
import { aliasFileSchemas } from "./aliases/file-schemas.ts";
import { packFileSchemas } from "./packs/file-schemas.ts";
import { policyFileSchemas } from "./policies/file-schemas.ts";
import { ruleFileSchemas } from "./rules/file-schemas.ts";
import { sensorFileSchemas } from "./sensors/file-schemas.ts";
import { triggerFileSchemas } from "./triggers/file-schemas.ts";

/** JSON schemas for the files of packs, used by editors. The package contains them in `dist/schemas`. */
export const fileSchemas: readonly FileSchema[] = [
	...packFileSchemas,
	...ruleFileSchemas,
	...aliasFileSchemas,
	...policyFileSchemas,
	...sensorFileSchemas,
	...triggerFileSchemas,
];
