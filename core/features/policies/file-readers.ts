import type { FileReader } from "../packs/file-reader-exports.ts";
import { toPolicyFields } from "./policy-fields.ts";
import { toPolicyInput } from "./policy-file.ts";

export const policyFileReaders: readonly FileReader[] = [
	{
		kind: "policy",
		folder: "policies",
		standIns: { name: "any_name", resource_ref: "any.action" },
		read: (metadata, place) => toPolicyFields(toPolicyInput(metadata, place)),
	},
];
