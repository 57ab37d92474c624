import { ruleKind } from "../../contract/entities/rule.ts";
import { arrayOf, defineSchema, fieldsOf, jsonObject, objectSchema, stringSchema } from "../../http/openapi/schema-builders.ts";

export const ruleSchema = defineSchema(
	"Rule",
	objectSchema(
		{
			...fieldsOf(ruleKind, ["id", "ref", "name", "pack", "description", "enabled", "criteria", "metadata_file"]),
			uid: stringSchema,
			type: objectSchema({ ref: stringSchema, parameters: jsonObject }),
			trigger: objectSchema(
				{ type: stringSchema, ref: stringSchema, title: stringSchema, parameters: jsonObject, description: stringSchema },
				["ref", "title", "description"],
			),
			action: objectSchema({ ref: stringSchema, parameters: jsonObject, description: stringSchema }, ["description"]),
			context: jsonObject,
			tags: arrayOf(jsonObject),
			problems: arrayOf(stringSchema),
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
		trigger: { type: "core.svc.webhook", ref: "core.hook", title: "webhook disk/alerts", parameters: { url: "disk/alerts" } },
		criteria: { "trigger.body.percent": { type: "greaterthan", pattern: 90 } },
		action: { ref: "disk.sweep", parameters: { disk: "{{ trigger.body.disk }}" } },
		context: { user: "maria" },
		tags: [],
		metadata_file: "",
	},
);
