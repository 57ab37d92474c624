import type { OptionDefinitions } from "svc-automation/feature";

/** The option section `board`. Editors show the comment of an option in `svc.config.ts`. */
export const boardOptions = {
	/** Days until a note is deleted, unless it is pinned. */
	keep_days: { type: "number", default: 1, minimum: 0, description: "Days until a note is deleted, unless it is pinned." },
	/** Seconds between two deletions of old notes. */
	deletion_interval: {
		type: "number",
		default: 60,
		minimum: 0.001,
		maximum: 86_400,
		description: "Seconds between two deletions of old notes.",
	},
} as const satisfies OptionDefinitions;

declare module "svc-automation/feature" {
	interface FeatureOptionSections {
		board: typeof boardOptions;
	}
}
