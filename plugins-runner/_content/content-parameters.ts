import type { ParameterDefinitions } from "../../core/contract/index.ts";

/** Parameters of all runners that run a file of a pack. */
export const contentParameters = {
	content_version: {
		type: "string",
		reserved: true,
		description: "Git revision of the pack from which the files are taken. Default: the current files.",
	},
} as const satisfies ParameterDefinitions;
