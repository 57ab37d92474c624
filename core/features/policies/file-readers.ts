import type { FileReader } from "../packs/file-reader-exports.ts";
import { checkPolicy } from "./check-policy.ts";
import { toPolicyInput } from "./policy-file.ts";

export const policyFileReaders: readonly FileReader[] = [
	{
		kind: "policy",
		folder: "policies",
		standIns: { name: "any_name", resource_ref: "any.action" },
		read: (metadata, place) => checkPolicy(toPolicyInput(metadata, place)),
	},
];
