import { ruleKind } from "../../contract/entities/rule.ts";
import { arrayOf, defineSchema, fieldsOf, jsonObject, object, text } from "../../http/openapi/schema.ts";

/** Schema of a rule in the API. */
export const ruleSchema = defineSchema(
	"Rule",
	object(
		{
			...fieldsOf(ruleKind, ["id", "ref", "name", "pack", "description", "enabled", "criteria", "metadata_file"]),
			uid: text,
			type: object({ ref: text, parameters: jsonObject }),
			trigger: object({ type: text, ref: text, parameters: jsonObject, description: text }, ["ref", "description"]),
			action: object({ ref: text, parameters: jsonObject, description: text }, ["description"]),
			context: jsonObject,
			tags: arrayOf(jsonObject),
			problems: arrayOf(text),
		},
		["problems"],
	),
	{
		id: "66a1e0019d3e4b7a51c00040",
		uid: "rule:disk:sweep",
		ref: "disk.sweep",
		name: "sweep",
		pack: "disk",
		description: "Sweeps full disks.",
		enabled: true,
		type: { ref: "standard", parameters: {} },
		trigger: { type: "core.svc.webhook", ref: "core.hook", parameters: { url: "disk/full" } },
		criteria: { "trigger.body.percent": { type: "greaterthan", pattern: 90 } },
		action: { ref: "disk.sweep", parameters: { disk: "{{ trigger.body.disk }}" } },
		context: { user: "maria" },
		tags: [],
		metadata_file: "",
	},
);
