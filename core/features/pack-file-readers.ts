import { actionFileReaders } from "./packs/action-file-readers.ts";
import type { FileReader } from "./packs/file-reader-exports.ts";
import { policyFileReaders } from "./policies/file-readers.ts";
import { ruleFileReaders } from "./rules/file-readers.ts";
import { sensorFileReaders } from "./sensors/file-readers.ts";
import { triggerFileReaders } from "./triggers/file-readers.ts";

/** Readers for the files of packs. Tools use them to check a pack where it is developed. */
export const packFileReaders: readonly FileReader[] = [
	...actionFileReaders,
	...triggerFileReaders,
	...sensorFileReaders,
	...ruleFileReaders,
	...policyFileReaders,
];
