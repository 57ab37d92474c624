import type { FileReader } from "../packs/file-reader-exports.ts";
import { checkRule } from "./check-rule.ts";
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
		read: (metadata, place) => checkRule(toRuleInput(metadata, place), place.pack),
	},
];
