import type { FileReader } from "../packs/file-reader-exports.ts";
import { toRuleFields } from "./rule-fields.ts";
import { toRuleInput } from "./rule-file.ts";

export const ruleFileReaders: readonly FileReader[] = [
	{
		kind: "rule",
		folder: "rules",
		standIns: {
			name: "any_name",
			trigger: { type: "any.trigger" },
			"trigger.type": "any.trigger",
			action: { ref: "any.action" },
			"action.ref": "any.action",
		},
		read: (metadata, place) => toRuleFields(toRuleInput(metadata, place), place.pack),
	},
];
