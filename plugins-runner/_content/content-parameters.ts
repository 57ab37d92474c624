import type { ParameterDefinitions } from "../../core/contract/index.ts";

/** Parameters of all runners that run a file of a pack. */
export const contentParameters = {
	content_version: {
		type: "string",
		reserved: true,
		description: "Git revision of the pack to take the files from; default what is there.",
	},
} as const satisfies ParameterDefinitions;
